// SPDX-License-Identifier: Apache-2.0
// getCollInfo of the plugin that ships, with 1 to 5,000 rules that all fit, hit and miss, one and four threads with a
// communicator each; and the plain alternative: a first-match scan over the same rules, as NVIDIA's example tuner
// does it. Their ratio in one run is what counts; absolute times depend on the machine.
#include <benchmark/benchmark.h>

#include <cstring>
#include <map>
#include <memory>

#include "test/bench/rule_sets.h"
#include "test/bench/tuner_copy.h"

namespace polyrail::test {
namespace {

constexpr int kAllReduce = static_cast<int>(nccl::Collective::kAllReduce);
constexpr size_t kSizes = 1 << 14;
constexpr uint64_t kNowhere = uint64_t{1} << 50;

struct Case {
  std::vector<uint64_t> sizes;
  Policy policy;
};

Case makeCase(size_t rules, bool hit) {
  const std::vector<uint64_t> at = edges(rules, Placing::kLog);
  return {hit ? sizesIn(at, kSizes) : std::vector<uint64_t>(kSizes, kNowhere), policyOf(at)};
}

void tuner(benchmark::State& state, const TunerCopy& copy, const Case& c) {
  void* context = copy.open();
  const auto call = copy.v6().getCollInfo;
  float costs[7][3];
  size_t i = 0;
  for (auto _ : state) {
    int channels = 0;
    std::memcpy(costs, kCosts, sizeof costs);
    call(context, kAllReduce, c.sizes[i++ % kSizes], 1, reinterpret_cast<float**>(costs), 7, 3, 0, &channels);
    benchmark::DoNotOptimize(costs);
    benchmark::DoNotOptimize(channels);
  }
  copy.v6().finalize(context);
}

// A rule of a flat table, every field of which is compared in turn.
struct FlatRule {
  int collective;
  uint64_t from, to;
  int nodes, ranks;  // -1: any
  int algorithm, protocol, channels;
};

std::vector<FlatRule> flatten(const Policy& policy) {
  std::vector<FlatRule> flat;
  for (const Rule& r : policy.tables[0].rules)
    flat.push_back({kAllReduce, r.from, r.to, -1, -1, static_cast<int>(r.choices[0].algorithm),
                    static_cast<int>(r.choices[0].protocol), r.choices[0].channels.value_or(0)});
  return flat;
}

void scanOnce(const std::vector<FlatRule>& rules, uint64_t bytes, float (&costs)[7][3], int& channels) {
  for (const FlatRule& r : rules) {
    if (r.collective != kAllReduce || bytes < r.from || bytes >= r.to) continue;
    if ((r.nodes != -1 && r.nodes != 2) || (r.ranks != -1 && r.ranks != 16)) continue;
    if (costs[r.algorithm][r.protocol] != -1) costs[r.algorithm][r.protocol] = 0;
    channels = r.channels;
    return;
  }
}

void scan(benchmark::State& state, const Case& c) {
  const std::vector<FlatRule> rules = flatten(c.policy);
  float costs[7][3];
  size_t i = 0;
  for (auto _ : state) {
    int channels = 0;
    std::memcpy(costs, kCosts, sizeof costs);
    scanOnce(rules, c.sizes[i++ % kSizes], costs, channels);
    benchmark::DoNotOptimize(costs);
    benchmark::DoNotOptimize(channels);
  }
}

struct Loaded {
  Case hit, miss;
  TunerCopy copy;
  explicit Loaded(size_t rules) : hit(makeCase(rules, true)), miss(makeCase(rules, false)), copy(hit.policy) {}
};

void registerAll(std::map<size_t, std::unique_ptr<Loaded>>& all) {
  for (size_t rules : {1, 12, 175, 5000}) {
    const Loaded& l = *all.emplace(rules, std::make_unique<Loaded>(rules)).first->second;
    for (const auto& [name, c] : {std::pair{"hit", &l.hit}, std::pair{"miss", &l.miss}}) {
      const std::string suffix = "/" + std::to_string(rules) + "/" + name;
      const auto body = [&l, c = c](benchmark::State& state) { tuner(state, l.copy, *c); };
      benchmark::RegisterBenchmark(("getCollInfo" + suffix).c_str(), body)->Threads(1)->Threads(4);
      benchmark::RegisterBenchmark(("linearScan" + suffix).c_str(), [c = c](benchmark::State& s) { scan(s, *c); })
          ->Threads(1)
          ->Threads(4);
    }
  }
}

}  // namespace
}  // namespace polyrail::test

int main(int argc, char** argv) {
  std::map<size_t, std::unique_ptr<polyrail::test::Loaded>> all;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  polyrail::test::registerAll(all);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
