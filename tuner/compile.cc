// SPDX-License-Identifier: Apache-2.0
#include "tuner/compile.h"

#include <algorithm>

namespace polyrail {
namespace {

constexpr uint64_t kMaxChunk = 1u << 30;  // NCCL keeps chunks in an int

std::optional<uint64_t> times(uint64_t a, uint64_t b) {
  uint64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// NCCL schedules NVLS between nodes as CollNet (src/enqueue.cc ncclPrepareTasks, 2.30.7): whole, over all the
// channels that it is told.
bool runsAsCollNet(nccl::Algorithm algorithm, const Shape& shape) {
  return nccl::isCollNet(algorithm) || (algorithm == nccl::Algorithm::kNvls && shape.nodes > 1);
}

CompiledChoice compileChoice(const Choice& choice, int channels) {
  CompiledChoice out;
  if (choice.time) {
    out.baseUs = static_cast<float>(choice.time->baseUs);
    out.usPerByte = static_cast<float>(choice.time->usPerMib / (1 << 20));
  }
  out.algorithm = static_cast<uint8_t>(choice.algorithm);
  out.protocol = static_cast<uint8_t>(choice.protocol);
  out.channels = static_cast<uint8_t>(channels);
  return out;
}

}  // namespace

std::optional<Interval> totalBytes(const Rule& rule, nccl::Collective collective, uint64_t ranks) {
  const uint64_t factor = nccl::keyedPerRank(collective) ? ranks : 1;
  const std::optional<uint64_t> from = times(rule.from, factor);
  if (!from || rule.to <= rule.from) return std::nullopt;
  const std::optional<uint64_t> to = rule.to == kNoLimit ? std::nullopt : times(rule.to, factor);
  return Interval{*from, to ? *to - 1 : UINT64_MAX, 0, rule.pipeOps || rule.regBuff};
}

int usableChannels(const Choice& choice, const Table& table, const Options& options, const Shape& shape) {
  if (!choice.channels || runsAsCollNet(choice.algorithm, shape)) return 0;
  const bool gathers = table.collective == nccl::Collective::kAllGather;
  if (gathers && shape.abi >= 5 && !options.allGatherChannels) return 0;
  const int pool = std::min(table.maxChannels.value_or(nccl::kMaxChannels), nccl::kMaxChannels);
  return std::max(0, std::min(*choice.channels, pool));
}

std::vector<CompiledChoice> compileChoices(const Rule& rule, const Table& table, const Options& options,
                                           const Shape& shape) {
  std::vector<CompiledChoice> out;
  const size_t count = std::min(rule.choices.size(), kMaxChoices);
  for (size_t i = 0; i < count; i++) {
    out.push_back(compileChoice(rule.choices[i], usableChannels(rule.choices[i], table, options, shape)));
    out.back().alternatives = static_cast<uint8_t>(count - i - 1);
  }
  return out;
}

std::optional<Interval> chunkSlices(const Choice& choice, const Interval& bytes, int channels, const Shape& shape) {
  const bool whole = runsAsCollNet(choice.algorithm, shape);
  if (!choice.chunkBytes || (channels == 0 && !whole)) return std::nullopt;
  const uint64_t slices = whole ? 1 : static_cast<uint64_t>(channels);
  const uint64_t grain = static_cast<uint64_t>(nccl::kGrainBytes[static_cast<size_t>(choice.protocol)]);
  const uint64_t wanted = std::clamp(*choice.chunkBytes, grain, kMaxChunk);
  const uint64_t first = bytes.first / slices + (bytes.first % slices != 0);
  const uint64_t last = bytes.last == UINT64_MAX ? UINT64_MAX : bytes.last / slices;
  if (first > last) return std::nullopt;
  return Interval{first, last, static_cast<uint32_t>(wanted / grain * grain), false};
}

}  // namespace polyrail
