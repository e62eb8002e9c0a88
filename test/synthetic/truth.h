// SPDX-License-Identifier: Apache-2.0
// Sweeps whose truth is known: true times of every arm by a latency and a bandwidth, what the "default" picks by a
// model with wrong constants (as NCCL's is wrong: facts about networks that it cannot see), and runs measured from
// them with noise. Deterministic for a seed; one thread.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "cli/data/run.h"
#include "cli/learn/arm.h"
#include "test/synthetic/noise.h"

namespace polyrail::synthetic {

struct Line {
  double baseUs = 10, usPerMib = 10;
  double at(uint64_t bytes) const { return baseUs + usPerMib * static_cast<double>(bytes) / (1 << 20); }
};

struct Truth {
  std::vector<uint64_t> sizes;
  std::vector<cli::Arm> arms;
  std::vector<Line> times;           // by arm
  std::vector<size_t> defaultPicks;  // by size: an arm

  double us(size_t arm, size_t size) const { return times[arm].at(sizes[size]); }
  double defaultUs(size_t size) const { return us(defaultPicks[size], size); }
  double oracleUs(size_t size) const {
    double best = defaultUs(size);
    for (size_t a = 0; a < arms.size(); a++) best = std::min(best, us(a, size));
    return best;
  }
};

inline std::vector<uint64_t> doublings(uint64_t from, uint64_t to) {
  std::vector<uint64_t> sizes;
  for (uint64_t size = from; size <= to; size *= 2) sizes.push_back(size);
  return sizes;
}

// Tree and Ring by LL, LL128 and Simple, with NCCL's own channels and with each of `channels`.
inline std::vector<cli::Arm> usualArms(const std::vector<int>& channels) {
  std::vector<cli::Arm> arms;
  for (const auto algorithm : {nccl::Algorithm::kTree, nccl::Algorithm::kRing})
    for (const auto protocol : {nccl::Protocol::kLl, nccl::Protocol::kLl128, nccl::Protocol::kSimple}) {
      arms.push_back({algorithm, protocol, {}});
      for (int n : channels) arms.push_back({algorithm, protocol, n});
    }
  return arms;
}

// All arms take the same time: every gain is false.
inline Truth equalArms(std::vector<uint64_t> sizes, std::vector<cli::Arm> arms) {
  Truth t{std::move(sizes), std::move(arms), {}, {}};
  t.times.assign(t.arms.size(), Line{25, 12});
  t.defaultPicks.assign(t.sizes.size(), 0);
  return t;
}

// Latency and bandwidth of a pair as the protocols trade them, in the proportions of NCCL's model on two nodes.
inline Line typical(const cli::Arm& arm) {
  const bool tree = arm.algorithm == nccl::Algorithm::kTree;
  switch (arm.protocol) {
    case nccl::Protocol::kLl: return {tree ? 24.0 : 38.0, tree ? 60.0 : 48.0};
    case nccl::Protocol::kLl128: return {tree ? 34.0 : 50.0, tree ? 16.0 : 12.5};
    case nccl::Protocol::kSimple: break;
  }
  return {tree ? 60.0 : 85.0, tree ? 13.0 : 11.0};
}

// Each arm's constants differ from the typical by some 20 %, the default's model from the truth by some 30 %; fewer
// channels cost bandwidth and save a little latency.
inline Truth randomTruth(uint64_t seed, std::vector<uint64_t> sizes, std::vector<cli::Arm> arms) {
  cli::Random random(seed);
  Truth t{std::move(sizes), std::move(arms), {}, {}};
  std::vector<Line> believed;
  Line pair;
  for (const cli::Arm& arm : t.arms) {
    if (!arm.channels) {  // comes first of its algorithm and protocol
      pair = typical(arm);
      pair.baseUs *= std::exp(0.2 * normal(random));
      pair.usPerMib *= std::exp(0.2 * normal(random));
    }
    const double share = arm.channels ? *arm.channels / 16.0 : 1;
    t.times.push_back({pair.baseUs * (share < 1 ? 0.97 : 1), pair.usPerMib / std::min(1.0, share)});
    believed.push_back(
        {pair.baseUs * std::exp(0.3 * normal(random)), pair.usPerMib * std::exp(0.3 * normal(random))});
    if (arm.channels) believed.back() = {1e12, 1e12};  // NCCL's model picks no channel count of these
  }
  for (uint64_t size : t.sizes) {
    const auto best = std::min_element(believed.begin(), believed.end(),
                                       [=](const Line& a, const Line& b) { return a.at(size) < b.at(size); });
    t.defaultPicks.push_back(static_cast<size_t>(best - believed.begin()));
  }
  return t;
}

// One nccl-tests run of an arm (nullptr: the default) on 2 x 8 ranks.
inline Run measure(const Truth& truth, const cli::Arm* arm, uint64_t seed) {
  Run run;
  run.file = "synthetic-" + std::to_string(seed);
  run.collectiveText = "AllReduce";
  run.collective = nccl::Collective::kAllReduce;
  run.ranks = 16, run.nodes = 2;
  run.ncclVersion = "2.27.3";
  run.gpu = "synthetic";
  if (arm) {
    run.forced.algorithm = nccl::name(arm->algorithm);
    run.forced.protocol = nccl::name(arm->protocol);
    run.forced.minChannels = run.forced.maxChannels = arm->channels;
  } else {
    run.collChannels = 16;
    run.costTable.emplace();
    for (auto& algorithm : run.costTable->bandwidthGBs[static_cast<size_t>(*run.collective)]) algorithm.fill(1);
  }
  NoisyRun noise(seed);
  for (size_t s = 0; s < truth.sizes.size(); s++) {
    const double us = arm ? truth.us(static_cast<size_t>(arm - truth.arms.data()), s) : truth.defaultUs(s);
    Row row;
    row.sizeBytes = truth.sizes[s];
    row.type = "float", row.redop = "sum";
    row.outOfPlace = Placement{us * noise.factor(row.sizeBytes), 0, 0, 0.0, {}};
    row.inPlace = Placement{us * noise.factor(row.sizeBytes), 0, 0, 0.0, {}};
    run.rows.push_back(std::move(row));
  }
  return run;
}

// Every arm and the default, `repeats` runs each.
inline std::vector<Run> measureAll(const Truth& truth, size_t repeats, uint64_t seed) {
  std::vector<Run> runs;
  cli::Random random(seed);
  for (size_t r = 0; r < repeats; r++) {
    runs.push_back(measure(truth, nullptr, random.next()));
    for (const cli::Arm& arm : truth.arms) runs.push_back(measure(truth, &arm, random.next()));
  }
  return runs;
}

}  // namespace polyrail::synthetic
