// SPDX-License-Identifier: Apache-2.0
#include "cli/model/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace polyrail::nccl {
namespace {

struct Entry {
  Collective collective;
  Algorithm algorithm;
  Protocol protocol;
};

constexpr uint64_t kCollNetRanksPerNode = 8;  // NCCL_MAX_DIRECT_ARITY + 1, device.h
constexpr uint64_t kNvlsRanks = 32;           // NCCL_MAX_NVLS_ARITY, device.h

uint64_t ranksPerNode(const GateContext& x) { return (x.ranks + x.nodes - 1) / x.nodes; }
bool oneOf(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}
bool isNvls(const Entry& e) { return e.algorithm == Algorithm::kNvls || e.algorithm == Algorithm::kNvlsTree; }
bool averages(const GateContext& x) { return oneOf(x.redop, {"avg", "mulsum"}); }

// ncclNvlsSupported, device.h; an average of integers is no plain sum, and one of floats is a scaled sum.
bool nvlsReduces(const GateContext& x) {
  if (x.type.empty() && x.redop.empty()) return true;
  const bool minMax = oneOf(x.redop, {"min", "max"});
  if (!x.redop.empty() && x.redop != "sum" && !minMax) return false;
  if (oneOf(x.type, {"float", "double"})) return !minMax;
  return x.type.empty() || oneOf(x.type, {"int32", "uint32", "int64", "uint64", "half", "bfloat16"});
}

// What is certain from the call and the shape. In the order in which a person would like to hear it.
struct Closed {
  bool (*closed)(const GateContext&, const Entry&);
  const char* why;
};
constexpr Closed kClosed[] = {
    {[](const GateContext&, const Entry& e) { return !hasKernel(e.collective, e.algorithm, e.protocol); },
     "NCCL has no kernel for it"},
    {[](const GateContext& x, const Entry& e) { return e.algorithm == Algorithm::kPat && x.version < 22304; },
     "PAT came with NCCL 2.23"},
    {[](const GateContext& x, const Entry& e) { return e.algorithm == Algorithm::kNvlsTree && x.nodes == 1; },
     "NVLSTree is off on one node"},
    {[](const GateContext& x, const Entry& e) {
       return isCollNet(e.algorithm) && ranksPerNode(x) > kCollNetRanksPerNode &&
              x.version >= (e.algorithm == Algorithm::kCollNetChain ? 22803 : 22304);
     },
     "CollNet takes at most 8 ranks a node"},
    {[](const GateContext& x, const Entry& e) {
       return e.algorithm == Algorithm::kNvls && keyedPerRank(e.collective) && x.nodes > 1 && x.version < 22703;
     },
     "NVLS gathers on one node only before NCCL 2.27"},
    {[](const GateContext& x, const Entry& e) {
       return e.algorithm == Algorithm::kNvls && keyedPerRank(e.collective) && ranksPerNode(x) > kNvlsRanks;
     },
     "NVLS gathers among at most 32 ranks a node"},
    {[](const GateContext& x, const Entry& e) {
       return isNvls(e) && e.collective != Collective::kAllGather && !nvlsReduces(x);
     },
     "NVLS cannot reduce this type with this operation"},
    {[](const GateContext& x, const Entry& e) {
       return e.algorithm == Algorithm::kPat && e.collective == Collective::kReduceScatter && averages(x);
     },
     "PAT's ReduceScatter cannot average or scale"},
    {[](const GateContext& x, const Entry& e) {
       return e.algorithm == Algorithm::kPat && x.nodes != x.ranks && x.table == nullptr;
     },
     "PAT wants one rank a node (unless NCCL_PAT_ENABLE=1)"},
};

// What the machine decides. `why` is said when the cost table has no bandwidth there, or when there is no table.
struct Machine {
  bool (*applies)(const GateContext&, const Entry&);
  const char* why;
};
constexpr Machine kMachine[] = {
    {[](const GateContext& x, const Entry& e) { return e.algorithm == Algorithm::kNvls && x.nodes > 1; },
     "NVLS on several nodes needs NVSwitch multicast and CollNet"},
    {[](const GateContext&, const Entry& e) { return isNvls(e); },
     "NVLS needs NVSwitch multicast (Hopper or newer) and two channels or more"},
    {[](const GateContext&, const Entry& e) { return e.algorithm == Algorithm::kCollNetDirect; },
     "CollNetDirect needs a CollNet plugin, NCCL_COLLNET_ENABLE=1 and an NVSwitch"},
    {[](const GateContext&, const Entry& e) { return e.algorithm == Algorithm::kCollNetChain; },
     "CollNetChain needs a CollNet plugin and NCCL_COLLNET_ENABLE=1"},
    {[](const GateContext&, const Entry& e) { return e.algorithm == Algorithm::kPat; },
     "PAT needs one rank a node (or NCCL_PAT_ENABLE=1) and a network that the host drives"},
    {[](const GateContext&, const Entry& e) { return e.protocol == Protocol::kLl128; },
     "LL128 needs NVLink inside the node, near NICs between nodes and GPUs of one kind"},
};

const char* certain(const GateContext& x, const Entry& e) {
  for (const Closed& rule : kClosed)
    if (rule.closed(x, e)) return rule.why;
  return nullptr;
}

const char* onTheMachine(const GateContext& x, const Entry& e) {
  for (const Machine& rule : kMachine)
    if (rule.applies(x, e)) return rule.why;
  return nullptr;
}

std::string filtered(const GateContext& x, const Entry& e) {
  if (!x.filter.allows(e.collective, e.algorithm))
    return fmt::format("NCCL_ALGO=\"{}\" leaves it out", x.filter.algorithmText);
  if (x.filter.gate(e.collective, e.protocol) == EnvFilter::Gate::kOff)
    return fmt::format("NCCL_PROTO=\"{}\" leaves it out", x.filter.protocolText);
  return "";
}

bool inTable(const GateContext& x, const Entry& e) {
  const auto c = static_cast<size_t>(e.collective), a = static_cast<size_t>(e.algorithm);
  return x.table->bandwidthGBs[c][a][static_cast<size_t>(e.protocol)] > 0;
}

GateAnswer byMachine(const GateContext& x, const Entry& e) {
  const char* why = onTheMachine(x, e);
  // A filter that names LL128 switches NCCL's own check off, with the risk of wrong results.
  if (e.protocol == Protocol::kLl128 && x.filter.gate(e.collective, e.protocol) == EnvFilter::Gate::kOn)
    why = nullptr;
  if (x.table == nullptr) return why == nullptr ? GateAnswer{} : GateAnswer{Verdict::kDepends, why};
  if (inTable(x, e)) return {};
  if (why == nullptr) return {Verdict::kRefused, "the log's cost table gives it no bandwidth"};
  return {Verdict::kRefused, fmt::format("the log's cost table gives it no bandwidth: {}", why)};
}

}  // namespace

GateAnswer gate(const GateContext& x, Collective c, Algorithm a, Protocol p) {
  const Entry e{c, a, p};
  if (const char* why = certain(x, e)) return {Verdict::kRefused, why};
  if (std::string why = filtered(x, e); !why.empty()) return {Verdict::kRefused, std::move(why)};
  return byMachine(x, e);
}

void applyGates(const GateContext& x, Collective c, CostTimes& times) {
  const bool lossyRing = x.ranks > 8 && (x.type == "f8e4m3" || x.type == "f8e5m2") && x.version >= 22403;
  for (size_t a = 0; a < times.size(); a++) {
    for (size_t p = 0; p < times[a].size(); p++) {
      float& time = times[a][p];
      const Verdict v = gate(x, c, static_cast<Algorithm>(a), static_cast<Protocol>(p)).verdict;
      if (v == Verdict::kRefused) time = -1;
      // 2.30.7 enqueue.cc:2015-2021: long rings lose too much precision in eight bits.
      if (lossyRing && time >= 0 && static_cast<Algorithm>(a) == Algorithm::kRing) time *= 1024;
    }
  }
}

}  // namespace polyrail::nccl
