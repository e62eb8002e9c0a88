// SPDX-License-Identifier: Apache-2.0
// The two bars of the tuner's hot path, measured on the plugin that ships, through its ABI v6 table, call by call
// with the processor's time-stamp counter, less what two readings cost. The rule sets take short turns, so that a
// change of clock rate or a busy neighbour meets all alike; at the start of a turn, and after the kernel gave the
// core to somebody else, calls are not counted until the cache is filled again. Of the rounds, times are the best
// one's (whatever else runs can only add) and the ratio is the median.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>

#include "test/bench/rule_sets.h"
#include "test/bench/tuner_copy.h"

namespace polyrail::test {
namespace {

#if defined(__x86_64__)
inline uint64_t ticks() {
  uint32_t low, high;
  asm volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
  return uint64_t{high} << 32 | low;
}
#elif defined(__aarch64__)
inline uint64_t ticks() {
  uint64_t count;
  asm volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(count)::"memory");
  return count;
}
#endif

constexpr size_t kCalls = 1'000'000;  // counted, of each rule set in each round
constexpr size_t kBatch = 1000;
constexpr size_t kTurn = 40;         // batches, some 4 ms
constexpr size_t kRefill = 8;        // batches not counted at the start of a turn and after a switch
constexpr size_t kMaxTurns = 2000;   // then with what there is
constexpr size_t kManyRules = 5000;  // these are held to the ratio; their p99 depends on who shares the caches
constexpr int kAllReduce = static_cast<int>(nccl::Collective::kAllReduce);

double nanosecondsPerTick() {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const uint64_t first = ticks();
  while (Clock::now() - start < std::chrono::milliseconds(50)) {
  }
  const uint64_t last = ticks();
  const std::chrono::duration<double, std::nano> took = Clock::now() - start;
  return took.count() / static_cast<double>(last - first);
}

// p50 is the mean of the middle half, because the counter itself ticks in steps of up to 10 ns.
struct Figures {
  double p50, p99;  // ticks
};

Figures figures(std::vector<uint32_t>& samples) {
  std::sort(samples.begin(), samples.end());
  const size_t n = samples.size();
  double sum = 0;
  for (size_t i = n / 4; i < n * 3 / 4; i++) sum += samples[i];
  return {sum / static_cast<double>(n * 3 / 4 - n / 4), static_cast<double>(samples[n * 99 / 100])};
}

// What two readings of the counter cost with nothing between them.
double timerTicks() {
  std::vector<uint32_t> samples(100'000);
  for (uint32_t& s : samples) {
    const uint64_t before = ticks();
    s = static_cast<uint32_t>(ticks() - before);
  }
  return figures(samples).p50;
}

long switches() {
  rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw + usage.ru_nvcsw;
}

class RuleSet {
 public:
  RuleSet(const char* label, size_t count, Placing placing, bool hit = true)
      : name(label),
        rules(count),
        edges_(edges(count, placing)),
        copy_(policyOf(edges_)),
        sizes_(sizesIn(edges_, kCalls)) {
    if (!hit) std::fill(sizes_.begin(), sizes_.end(), uint64_t{1} << 50);
    context_ = copy_.open();
  }
  ~RuleSet() { copy_.v6().finalize(context_); }
  RuleSet(const RuleSet&) = delete;
  RuleSet& operator=(const RuleSet&) = delete;

  // Counts calls of one turn towards the round's.
  void turn() {
    callEachRule();
    for (size_t i = 0, quiet = 0; i < kTurn && counted_.size() < kCalls; i++) {
      const long seen = switches();
      measureBatch(&sizes_[batches_++ * kBatch % kCalls]);
      quiet = seen == switches() ? quiet + 1 : 0;
      if (quiet > kRefill) counted_.insert(counted_.end(), batch_.begin(), batch_.end());
    }
  }
  bool isDone() const { return counted_.size() >= kCalls; }

  void endRound(double timer, double nsPerTick) {
    const Figures f = counted_.empty() ? Figures{INFINITY, INFINITY} : figures(counted_);
    p50.push_back((f.p50 - timer) * nsPerTick);
    p99.push_back((f.p99 - timer) * nsPerTick);
    counted_.clear();
  }

  const char* name;
  size_t rules;
  std::vector<double> p50, p99;  // nanoseconds, of each round

 private:
  void callEachRule() {
    float costs[7][3] = {};
    int channels = 0;
    for (uint64_t edge : edges_)
      copy_.v6().getCollInfo(context_, kAllReduce, edge, 1, reinterpret_cast<float**>(costs), 7, 3, 0, &channels);
  }

  void measureBatch(const uint64_t* sizes) {
    const auto call = copy_.v6().getCollInfo;
    float costs[7][3];
    for (size_t i = 0; i < kBatch; i++) {
      int channels = 0;
      std::memcpy(costs, kCosts, sizeof costs);
      const uint64_t before = ticks();
      call(context_, kAllReduce, sizes[i], 1, reinterpret_cast<float**>(costs), 7, 3, 0, &channels);
      batch_[i] = static_cast<uint32_t>(ticks() - before);
    }
  }

  std::array<uint32_t, kBatch> batch_{};
  std::vector<uint32_t> counted_;
  size_t batches_ = 0;
  std::vector<uint64_t> edges_;
  TunerCopy copy_;
  std::vector<uint64_t> sizes_;
  void* context_ = nullptr;
};

double best(const std::vector<double>& rounds) { return *std::min_element(rounds.begin(), rounds.end()); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double medianRatio(const RuleSet& many, const RuleSet& few) {
  std::vector<double> ratios;
  for (size_t i = 0; i < many.p50.size(); i++) ratios.push_back(many.p50[i] / few.p50[i]);
  return median(ratios);
}

void printBar(const char* name, double figure, const char* relation, double limit, bool holds) {
  fmt::print("BAR {} {:.3g} {}{} {}\n", name, figure, relation, limit, holds ? "holds" : "falls-short");
}

size_t rounds() {
  const char* wanted = std::getenv("POLYRAIL_BAR_ROUNDS");
  return wanted ? std::max(1ul, std::strtoul(wanted, nullptr, 10)) : 5;
}

using RuleSets = std::vector<std::unique_ptr<RuleSet>>;

RuleSets ruleSets() {
  RuleSets sets;
  sets.push_back(std::make_unique<RuleSet>("12", 12, Placing::kLog));
  sets.push_back(std::make_unique<RuleSet>("175", 175, Placing::kLog));
  sets.push_back(std::make_unique<RuleSet>("5000 log", kManyRules, Placing::kLog));
  sets.push_back(std::make_unique<RuleSet>("5000 linear", kManyRules, Placing::kLinear));
  sets.push_back(std::make_unique<RuleSet>("5000 octave", kManyRules, Placing::kOctave));
  sets.push_back(std::make_unique<RuleSet>("5000 cluster", kManyRules, Placing::kCluster));
  sets.push_back(std::make_unique<RuleSet>("12 miss", 12, Placing::kLog, false));
  return sets;
}

void measureRound(const RuleSets& sets, double nsPerTick) {
  const double timer = timerTicks();
  const auto isDone = [](const auto& set) { return set->isDone(); };
  for (size_t turn = 0; turn < kMaxTurns && !std::all_of(sets.begin(), sets.end(), isDone); turn++)
    for (const auto& set : sets) set->turn();
  for (const auto& set : sets) set->endRound(timer, nsPerTick);
}

void run() {
  const RuleSets sets = ruleSets();
  const double nsPerTick = nanosecondsPerTick();
  for (size_t i = 0; i < rounds(); i++) measureRound(sets, nsPerTick);
  double worstP99 = 0, worstRatio = 0;
  for (const auto& set : sets) {
    const double ratio = medianRatio(*set, *sets[0]);
    fmt::print(
        "# {:<13} p50 {:5.1f} ns  p99 {:5.1f} ns (median of rounds {:5.1f})  {:.2f} x the time with 12 rules\n",
        set->name, best(set->p50), best(set->p99), median(set->p99), ratio);
    if (set->rules < kManyRules) worstP99 = std::max(worstP99, best(set->p99));
    if (set->rules >= kManyRules) worstRatio = std::max(worstRatio, ratio);
  }
  printBar("getCollInfo-p99-ns", worstP99, "<", 100, worstP99 < 100);
  printBar("getCollInfo-5000-vs-12-rules", worstRatio, "<=", 1.5, worstRatio <= 1.5);
}

}  // namespace
}  // namespace polyrail::test

int main() { polyrail::test::run(); }
