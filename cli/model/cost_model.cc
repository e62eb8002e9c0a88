// SPDX-License-Identifier: Apache-2.0
#include "cli/model/cost_model.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace polyrail::nccl {
namespace {

enum Link : size_t { kNvlink, kPci, kNetwork };

constexpr float kNvlsEfficiency[4] = {0, 0, .85f, .74f};  // by generation, 2.30.7 tuning.cc:138-143

struct Column {  // what the indices into the constants are for this machine
  size_t generation, scale, llRow;
};

Column columnOf(const Machine& m) {
  const int cc = m.computeCapability;
  const size_t generation = cc >= 100 ? 3 : cc >= 90 ? 2 : cc >= 80 ? 1 : 0;
  const size_t scale = m.nodes <= 2 ? static_cast<size_t>(m.nodes - 1) : 2;
  return {generation, scale, m.nodes == 1 ? generation : m.cpu == CpuVendor::kAmd ? 1u : 0u};
}

// One entry at a time, with what it needs at hand.
class Entry {
 public:
  Entry(const Machine& m, const TunerConstantsV5& k, Collective c, Algorithm a, Protocol p)
      : m_(m), k_(k), c_(c), a_(a), p_(p), g_(m.graphs[static_cast<size_t>(a)]), at_(columnOf(m)) {}

  bool modelled() const;
  float bandwidth() const;
  float latency() const;
  bool enabled() const;

 private:
  bool isNvls() const { return a_ == Algorithm::kNvls || a_ == Algorithm::kNvlsTree; }
  float ranksPerNode() const { return static_cast<float>(m_.ranks) / static_cast<float>(m_.nodes); }
  int steps() const;
  float perChannel() const;
  float nvlsPerChannel() const;
  float busBandwidth() const;
  float ring(float bus) const;
  float tree(float bus) const;
  float collNetDirect(float bus) const;
  bool gathersTooWide() const;
  float hardware(size_t link, Algorithm a) const {
    return static_cast<float>(k_.hwLatencies[link][static_cast<size_t>(a)][static_cast<size_t>(p_)]);
  }
  float ringLatency(float intra, float inter) const;

  const Machine& m_;
  const TunerConstantsV5& k_;
  const Collective c_;
  const Algorithm a_;
  const Protocol p_;
  const Graph& g_;
  const Column at_;
};

bool Entry::modelled() const {
  if (a_ == Algorithm::kPat) return hasKernel(c_, a_, p_) && m_.patOnHost && m_.nodes == m_.ranks;
  if (isNvls()) return hasKernel(c_, a_, p_) && g_.channels >= 2;
  // CollNet's latencies of LL and LL128 are printed though nothing runs them.
  return hasKernel(c_, a_, p_) || (isCollNet(a_) && hasKernel(c_, a_, Protocol::kSimple));
}

int Entry::steps() const {
  if (c_ == Collective::kAllReduce) return 2 * (m_.ranks - 1);
  return keyedPerRank(c_) ? m_.ranks - 1 : m_.ranks;
}

// A channel of NVLS: what the switch gives, at most what the network gives.
float Entry::nvlsPerChannel() const {
  const auto channels = static_cast<float>(g_.channels);
  float intra = g_.intraGBs * kNvlsEfficiency[at_.generation] * (channels - 1) / channels;
  intra *= c_ == Collective::kAllReduce ? 2 : (ranksPerNode() - 1) / ranksPerNode();
  const bool tree = a_ == Algorithm::kNvlsTree;
  const float inter = g_.interGBs * (m_.nodes <= 2 && tree ? 2 : 1);
  const auto most = static_cast<float>(k_.perChMaxNvlsTreeBws[at_.generation][at_.scale]);
  return std::min({intra, inter, tree ? most : std::numeric_limits<float>::max()});
}

float Entry::perChannel() const {
  if (isNvls()) return nvlsPerChannel();
  return m_.nodes <= 2 || isCollNet(a_) ? g_.intraGBs : g_.interGBs;
}

float Entry::ring(float bus) const {
  const double llMost = k_.llMaxBws[at_.llRow][at_.scale];
  const double ll128Most = g_.channels * k_.perChMaxRingLl128Bws[at_.generation][at_.scale];
  if (p_ == Protocol::kLl) return static_cast<float>(std::min(llMost, bus * .5));
  if (p_ == Protocol::kLl128) return static_cast<float>(std::min(bus * .92, ll128Most));
  return bus;
}

float Entry::tree(float bus) const {
  bus = static_cast<float>(std::min(bus * .92, g_.channels * k_.perChMaxTreeBws[at_.generation][at_.scale]));
  if (p_ == Protocol::kLl)
    bus = static_cast<float>(std::min(bus / 3.8, static_cast<double>(k_.llMaxBws[at_.llRow][at_.scale])));
  if (p_ == Protocol::kLl128) {
    const double share = m_.nodes == 1 ? 7.0 / 9.0 : 120.0 / 128.0;
    bus = static_cast<float>(std::min(bus * share, g_.channels * k_.perChMaxTreeLl128Bws[at_.generation][at_.scale]));
  }
  return m_.plainTrees ? bus * .85f : bus;
}

// Full speed only with a NIC for each GPU.
float Entry::collNetDirect(float bus) const {
  if (keyedPerRank(c_)) return ranksPerNode() * std::min(g_.intraGBs, g_.interGBs * 0.9f);
  float share = ranksPerNode() / static_cast<float>(g_.channels);
  share -= (share - 1) / 2;
  bus /= share;
  return m_.computeCapability >= 90 ? bus * .85f : bus;
}

// AllGather and ReduceScatter over CollNet on several nodes: one GPU for each NIC, and a plugin that has them.
bool Entry::gathersTooWide() const {
  if (!keyedPerRank(c_) || m_.nodes == 1 || (a_ != Algorithm::kNvls && a_ != Algorithm::kCollNetDirect)) return false;
  return !m_.collNet || !m_.collNetGathers || ranksPerNode() > static_cast<float>(m_.collNetHeads);
}

float Entry::busBandwidth() const {
  if (g_.channels == 0) return 0;
  const float bus = static_cast<float>(g_.channels) * perChannel();
  switch (a_) {
    case Algorithm::kRing: return ring(bus);
    case Algorithm::kTree: return tree(bus);
    case Algorithm::kPat: return bus * .75f;
    case Algorithm::kCollNetDirect: return p_ == Protocol::kSimple && !gathersTooWide() ? collNetDirect(bus) : 0;
    case Algorithm::kCollNetChain: return p_ == Protocol::kSimple ? bus : 0;
    default: return gathersTooWide() ? 0 : bus;
  }
}

// From bytes on the wire to bytes of the caller.
float Entry::bandwidth() const {
  if (a_ != Algorithm::kRing && keyedPerRank(c_)) return busBandwidth();
  const bool byRing = a_ == Algorithm::kRing || isNvls();
  return busBandwidth() * (byRing ? static_cast<float>(m_.ranks) / static_cast<float>(steps()) : .5f);
}

float Entry::ringLatency(float intra, float inter) const {
  const size_t link = m_.nodes > 1 ? kNetwork : g_.nvlink ? kNvlink : kPci;
  if (c_ == Collective::kBroadcast || c_ == Collective::kReduce) {
    if (g_.sameChannels) return hardware(link, a_);
    return static_cast<float>(steps()) * hardware(link, p_ == Protocol::kSimple ? Algorithm::kTree : a_);
  }
  // Posting to a NIC costs a host microsecond on Intel, two on AMD; Simple posts three times.
  const float post = m_.nodes == 1 ? 0 : m_.cpu == CpuVendor::kAmd ? 2.f : 1.f;
  intra = std::max(intra, p_ == Protocol::kSimple ? 3 * post : post);
  const int across = m_.nodes == 1 ? 0 : (c_ == Collective::kAllReduce ? 2 : 1) * (m_.nodes - 1);
  return static_cast<float>(steps() - across) * intra + static_cast<float>(across) * inter;
}

float Entry::latency() const {
  const auto base = static_cast<float>(k_.baseLatencies[static_cast<size_t>(a_)][static_cast<size_t>(p_)]);
  const float intra = hardware(g_.nvlink ? kNvlink : kPci, a_);
  // With one rank a node nothing hides the network: the tree's latency counts for all.
  float inter = hardware(kNetwork, m_.ranks == m_.nodes ? Algorithm::kTree : a_) + g_.interLatencyUs;
  if (p_ == Protocol::kSimple) inter += g_.interLatencyUs;  // the flush
  const int local = m_.ranks / m_.nodes;
  const auto others = static_cast<float>(local - 1);
  const auto depth = static_cast<float>(std::bit_width(static_cast<unsigned>(m_.nodes)) - 1);
  switch (a_) {
    case Algorithm::kRing: return base + ringLatency(intra, inter);
    case Algorithm::kTree: return base + 2 * (others * intra + depth * inter);
    case Algorithm::kCollNetDirect: return base + 2 * (std::min(1.f, others) * intra + others * .4f) + inter;
    case Algorithm::kCollNetChain: return base + 2 * others * intra + inter;
    case Algorithm::kNvls: return m_.nodes > 1 ? intra + inter : intra;
    case Algorithm::kNvlsTree: return base + intra + 2 * depth * inter;
    default: return base + depth * (inter / 3.5f) + static_cast<float>(m_.ranks) * 2.8f;
  }
}

bool Entry::enabled() const {
  if (a_ == Algorithm::kNvlsTree && m_.nodes == 1) return false;
  if ((isCollNet(a_) || (a_ == Algorithm::kNvls && m_.nodes > 1)) && !m_.collNet) return false;
  if (a_ == Algorithm::kCollNetDirect && !m_.nvSwitch) return false;
  return p_ != Protocol::kLl128 || (m_.ll128 && m_.computeCapability >= 70);
}

}  // namespace

CostModel costModel(const Machine& machine, const TunerConstantsV5& constants) {
  CostModel table;
  for (size_t c = 0; c < kNumCollectives; c++) {
    for (size_t a = 0; a < kNumAlgorithms; a++) {
      for (size_t p = 0; p < kNumProtocols; p++) {
        const Entry e(machine, constants, static_cast<Collective>(c), static_cast<Algorithm>(a),
                      static_cast<Protocol>(p));
        if (!e.modelled()) continue;
        table.latencyUs[c][a][p] = e.latency();
        table.bandwidthGBs[c][a][p] = e.enabled() ? e.bandwidth() : 0;
      }
    }
  }
  return table;
}

}  // namespace polyrail::nccl
