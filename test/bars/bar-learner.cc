// SPDX-License-Identifier: Apache-2.0
// Bars: what the learner makes of sweeps whose truth is known, with the noise of public measurements. Half of the
// sweeps compare 6 arms, half 18; every one goes the whole way from runs to the tables of a policy.
#include <cstdio>
#include <thread>

#include "cli/learn/learn.h"
#include "test/synthetic/truth.h"

namespace {

using namespace polyrail;
using namespace polyrail::cli;
using namespace polyrail::synthetic;

constexpr size_t kSweeps = 200;

std::vector<Sweep> sweepsOf(const std::vector<Run>& runs) {
  std::vector<const Run*> pointers;
  for (const Run& run : runs) pointers.push_back(&run);
  return makeSweeps(pointers).sweeps;
}

std::vector<Arm> armsOf(size_t seed) { return usualArms(seed % 2 ? std::vector<int>{} : std::vector<int>{4, 8}); }
std::vector<uint64_t> sizesOf() { return doublings(1 << 10, 1u << 30); }

// Runs `one` for seeds 0 to kSweeps - 1 on two threads; results are by seed, so that order changes nothing.
template <typename Result>
std::vector<Result> forEachSeed(Result (*one)(size_t seed)) {
  std::vector<Result> results(kSweeps);
  const auto half = [&](size_t from) {
    for (size_t i = from; i < kSweeps; i += 2) results[i] = one(i);
  };
  std::thread other(half, 1);
  half(0);
  other.join();
  return results;
}

// The first choice of the rule for a size; nothing: NCCL's default.
std::optional<Arm> chosen(const Learned& learned, uint64_t size) {
  for (const Table& table : learned.tables)
    for (const Rule& rule : table.rules)
      if (rule.from <= size && size < rule.to)
        return Arm{rule.choices[0].algorithm, rule.choices[0].protocol, rule.choices[0].channels};
  return std::nullopt;
}

double trueUs(const Truth& truth, const std::optional<Arm>& arm, size_t size) {
  for (size_t a = 0; a < truth.arms.size(); a++)
    if (arm == truth.arms[a]) return truth.us(a, size);
  return truth.defaultUs(size);
}

// What NVIDIA's optimize_config.py does: the least of single values.
std::optional<Arm> leastOfSingle(const Sweep& sweep, size_t size) {
  std::optional<Arm> best;
  double least = INFINITY;
  for (const Series& series : sweep.series)
    if (const double t = series.runs[0][size][0]; t < least) least = t, best = series.arm;
  return best;
}

void print(const char* name, double figure, const char* relation, double limit, bool holds,
           const std::string& detail) {
  std::printf("BAR %s %.3g%% %s%.3g%% %s %s\n", name, 100 * figure, relation, 100 * limit,
              holds ? "holds" : "falls-short", detail.c_str());
}

// All arms are equal, so every rule is false. A policy is false when any of its rules is.
size_t falseCells(size_t seed) {
  const Truth truth = equalArms(sizesOf(), armsOf(seed));
  const Learned learned = learn(sweepsOf(measureAll(truth, seed % 4 < 2 ? 5 : 3, 77 + seed)), {});
  size_t cells = 0;
  for (uint64_t size : truth.sizes) cells += chosen(learned, size).has_value();
  return cells;
}

void falseWins() {
  size_t policies = 0, cells = 0;
  for (size_t wrong : forEachSeed(falseCells)) cells += wrong, policies += wrong > 0;
  const double share = static_cast<double>(policies) / kSweeps;
  print("learner-false-wins", share, "<=", 0.05, share <= 0.05,
        std::to_string(policies) + " of " + std::to_string(kSweeps) + " policies from equal arms have a rule, " +
            std::to_string(cells) + " of " + std::to_string(kSweeps * sizesOf().size()) + " sizes");
}

struct Regrets {
  std::vector<double> learner, single, byDefault, overDefault;
};

Regrets regretsOf(size_t seed) {
  const Truth truth = randomTruth(seed, sizesOf(), armsOf(seed));
  const std::vector<Sweep> sweeps = sweepsOf(measureAll(truth, 5, 1000 + seed));
  const Learned learned = learn(sweeps, {});
  Regrets r;
  for (size_t s = 0; s < truth.sizes.size(); s++) {
    const double oracle = truth.oracleUs(s), mine = trueUs(truth, chosen(learned, truth.sizes[s]), s);
    r.learner.push_back(mine / oracle - 1);
    r.single.push_back(trueUs(truth, leastOfSingle(sweeps[0], s), s) / oracle - 1);
    r.byDefault.push_back(truth.defaultUs(s) / oracle - 1);
    r.overDefault.push_back(mine / truth.defaultUs(s) - 1);
  }
  return r;
}

struct Summary {
  double sum = 0, max = 0;
  size_t count = 0;
  void add(const std::vector<double>& values) {
    for (double v : values) sum += v, max = std::max(max, v), count++;
  }
  double mean() const { return sum / static_cast<double>(count); }
};

void regret() {
  Summary learner, single, byDefault, overDefault;
  for (const Regrets& r : forEachSeed(regretsOf))
    learner.add(r.learner), single.add(r.single), byDefault.add(r.byDefault), overDefault.add(r.overDefault);
  char detail[160];
  std::snprintf(detail, sizeof detail, "NCCL-like default %.2f%%; never more than %.2f%% worse than it",
                100 * byDefault.mean(), 100 * overDefault.max);
  print("learner-mean-regret", learner.mean(), "<", 0.02, learner.mean() < 0.02, detail);
  std::snprintf(detail, sizeof detail, "limit: the least of single runs; default %.0f%%", 100 * byDefault.max);
  print("learner-max-regret-vs-min-of-single", learner.max, "<", single.max, learner.max < single.max, detail);
}

// Three arms that cross at known sizes, and a default that never is the best of them.
struct Crossing {
  size_t arm;  // that ends
  double at;   // bytes
};

std::vector<double> crossoverSteps(size_t seed) {
  Random random(seed);
  const double scale = std::exp2(4 * random.uniform() - 2);  // moves the crossings over sizes
  Truth truth{sizesOf(), {}, {}, {}};
  truth.arms = {{nccl::Algorithm::kTree, nccl::Protocol::kLl, {}},
                {nccl::Algorithm::kTree, nccl::Protocol::kLl128, {}},
                {nccl::Algorithm::kRing, nccl::Protocol::kSimple, {}},
                {nccl::Algorithm::kTree, nccl::Protocol::kSimple, {}}};
  truth.times = {{20, 60 / scale}, {40, 20 / scale}, {100, 9 / scale}, {160, 90 / scale}};
  truth.defaultPicks.assign(truth.sizes.size(), 3);
  const Learned learned = learn(sweepsOf(measureAll(truth, 5, 5000 + seed)), {});
  std::vector<double> steps;
  for (const Crossing& c : {Crossing{0, scale * 0.5 * (1 << 20)}, Crossing{1, scale * 60 / 11 * (1 << 20)}}) {
    double found = 20;  // steps, when there is no such border
    for (const Table& table : learned.tables)
      for (size_t i = 0; i + 1 < table.rules.size(); i++) {
        const Choice &left = table.rules[i].choices[0], &right = table.rules[i + 1].choices[0];
        if (left.protocol == truth.arms[c.arm].protocol && right.protocol == truth.arms[c.arm + 1].protocol)
          found = std::min(found, std::abs(std::log2(static_cast<double>(table.rules[i].to) / c.at)));
      }
    steps.push_back(found);
  }
  return steps;
}

void crossovers() {
  std::vector<double> all;
  for (const auto& steps : forEachSeed(crossoverSteps)) all.insert(all.end(), steps.begin(), steps.end());
  std::sort(all.begin(), all.end());
  const double worst = all.back();
  std::printf("BAR learner-crossover-steps %.2f <=1 %s largest of %zu; median %.2f, 95th percentile %.2f\n", worst,
              worst <= 1 ? "holds" : "falls-short", all.size(), all[all.size() / 2], all[all.size() * 95 / 100]);
}

}  // namespace

int main() {
  falseWins();
  regret();
  crossovers();
}
