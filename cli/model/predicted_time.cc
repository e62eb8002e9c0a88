// SPDX-License-Identifier: Apache-2.0
#include "cli/model/predicted_time.h"

#include <bit>
#include <span>

#include "cli/model/selection.h"

namespace polyrail::nccl {
namespace {

// Residual of the model for trees, by protocol and log2(bytes / 64): 64 B to 256 MiB (tuning.cc:623-627 of 2.30.7;
// unchanged since 2.18, but for a 24th column of ones and .9 in 2.29.2 that only NVLSTree reaches).
constexpr float kTreeResidual[kNumProtocols][24] = {
    {1, 1, 1, 1, .9f, .8f, .7f, .7f, .7f, .7f, .6f, .5f, .4f, .4f, .5f, .6f, .7f, .8f, .9f, 1, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9f, .8f, .8f, .8f, .7f, .6f, .6f, .6f, .6f, .6f, .6f, .8f, .9f, .9f, .9f, .9f, 1, 1, 1},
    {.9f, .9f, .9f, .9f, .9f, .9f, .9f, .8f, .7f, .6f, .6f, .5f,
     .5f, .5f, .5f, .6f, .7f, .8f, .7f, .7f, .8f, .9f, .9f, .9f}};

// Collectives in one batch of a kernel's work: what Tree and the others pipeline for one latency. 1024 bytes over the
// size of ncclDevWorkColl (device.h); until 2.21 NCCL_MAX_WORK_ELEMENTS.
int batch(int version) {
  if (version >= 23007) return 8;
  if (version >= 22304) return 10;
  return version >= 22203 ? 16 : 9;
}

float treeResidual(const ModelShape& shape, const ModelCall& call, Algorithm a, Protocol p) {
  if (call.collective != Collective::kAllReduce || call.totalBytes < 64) return 1;
  const int bucket = static_cast<int>(std::bit_width(call.totalBytes >> 6)) - 1;
  const bool tree = a == Algorithm::kTree && bucket < 23;
  const bool nvlsTree = a == Algorithm::kNvlsTree && bucket < 24 && shape.blackwellX86 && shape.version >= 22902;
  return tree || nvlsTree ? kTreeResidual[static_cast<int>(p)][bucket] : 1;
}

// A ring over the network does not come off its latency at once (tuning.cc:647-650).
bool onRingPlateau(const ModelShape& shape, const ModelCall& call, Algorithm a, Protocol p) {
  return a == Algorithm::kRing && p == Protocol::kSimple && shape.nodes > 1 &&
         call.collective == Collective::kAllReduce &&
         call.totalBytes / (static_cast<uint64_t>(shape.pool) * shape.ranks) >= 64;
}

float timeOf(const ModelShape& shape, const ModelCall& call, Algorithm a, Protocol p, float latency,
             float bandwidth) {
  const int perBatch = a == Algorithm::kRing ? 1 : batch(shape.version);
  const int latencies = (call.pipeOps + perBatch - 1) / perBatch;
  bandwidth *= treeResidual(shape, call, a, p);
  if (onRingPlateau(shape, call, a, p)) latency = static_cast<float>(latency * (shape.preAmpere ? 1.9 : 1.4));
  return latency * static_cast<float>(latencies) + static_cast<float>(call.totalBytes) / (1000 * bandwidth);
}

struct Cell {
  float latency, bandwidth;
};
Cell cellOf(const CostModel& table, Collective c, Algorithm a, Protocol p) {
  const auto i = static_cast<size_t>(c), j = static_cast<size_t>(a), k = static_cast<size_t>(p);
  return {static_cast<float>(table.latencyUs[i][j][k]), static_cast<float>(table.bandwidthGBs[i][j][k])};
}

// The least time that the printed digits allow.
float leastTime(const CostModel& table, const ModelShape& shape, const ModelCall& call, Algorithm a, Protocol p,
                float rounding) {
  const Cell cell = cellOf(table, call.collective, a, p);
  return timeOf(shape, call, a, p, cell.latency - rounding, cell.bandwidth + rounding);
}

constexpr float kHalfDigit = 0.05f;

bool isCloseCall(const CostModel& table, const ModelShape& shape, const ModelCall& call, const CostTimes& times,
                 const DefaultChoice& best) {
  const float worst = leastTime(table, shape, call, best.algorithm, best.protocol, -kHalfDigit);
  for (int a = 0; a < kNumAlgorithms; a++) {
    for (int p = 0; p < kNumProtocols; p++) {
      const auto algorithm = static_cast<Algorithm>(a);
      const auto protocol = static_cast<Protocol>(p);
      if (times[static_cast<size_t>(a)][static_cast<size_t>(p)] < 0) continue;
      if (algorithm == best.algorithm && protocol == best.protocol) continue;
      if (leastTime(table, shape, call, algorithm, protocol, kHalfDigit) <= worst) return true;
    }
  }
  return false;
}

}  // namespace

void takeGpu(ModelShape& shape, std::string_view gpu) {
  const auto has = [gpu](std::string_view word) { return gpu.find(word) != std::string_view::npos; };
  shape.preAmpere = shape.preAmpere || has("V100") || has("P100") || has(" T4") || has("RTX 20");
  const bool blackwell = has("B100") || has("B200") || has("B300");
  shape.blackwellX86 = shape.blackwellX86 || (blackwell && !has("GB"));
}

float predictedTime(const CostModel& table, const ModelShape& shape, const ModelCall& call, Algorithm a, Protocol p) {
  const Cell cell = cellOf(table, call.collective, a, p);
  return cell.bandwidth > 0 ? timeOf(shape, call, a, p, cell.latency, cell.bandwidth) : -1;
}

CostTimes predictedTimes(const CostModel& table, const ModelShape& shape, const ModelCall& call) {
  CostTimes times;
  for (int a = 0; a < kNumAlgorithms; a++)
    for (int p = 0; p < kNumProtocols; p++)
      times[static_cast<size_t>(a)][static_cast<size_t>(p)] =
          predictedTime(table, shape, call, static_cast<Algorithm>(a), static_cast<Protocol>(p));
  return times;
}

std::optional<DefaultChoice> defaultChoice(const CostModel& table, const ModelShape& shape, const ModelCall& call,
                                           const CostTimes& times) {
  const std::span<const float> flat(times[0].data(), kNumAlgorithms * kNumProtocols);
  const std::optional<Selection> best = selectUntil230(flat, kNumProtocols);
  if (!best) return std::nullopt;
  DefaultChoice choice{static_cast<Algorithm>(best->algorithm), static_cast<Protocol>(best->protocol), best->cost};
  choice.closeCall = isCloseCall(table, shape, call, times, choice);
  return choice;
}

std::optional<DefaultChoice> defaultChoice(const CostModel& table, const ModelShape& shape, const ModelCall& call) {
  return defaultChoice(table, shape, call, predictedTimes(table, shape, call));
}

}  // namespace polyrail::nccl
