// SPDX-License-Identifier: Apache-2.0
#include "tuner/decide.h"

#include <algorithm>
#include <cfloat>

#include "tuner/cost_scan.h"

namespace polyrail {
namespace {

constexpr float kAbove = 1.001f;
// Predictions are kept where 1.001 t is a different, finite float: a nanosecond to 10^30 us.
constexpr float kMinUs = 1e-3f;
constexpr float kMaxUs = 1e30f;
// NCCL multiplies Ring by 1024 to keep fp8 sums over more than 8 ranks off it, and says neither type nor reason
// (src/enqueue.cc updateCollCostTable, 2.30.7).
constexpr float kGuardFactor = 500;
// Tables as yet have 6 or 7 algorithms and 3 protocols. Past this it is no table of NCCL's.
constexpr int kMaxSide = 64;

using nccl::Algorithm;
using nccl::Collective;
using nccl::Protocol;

bool isTable(const CostTable& t) {
  return t.costs && t.algorithms > 0 && t.protocols > 0 && t.algorithms <= kMaxSide && t.protocols <= kMaxSide;
}

// FLT_MAX and infinity are never picked by NCCL, so choosing them would decide nothing.
bool isAllowed(float cost) { return cost >= 0 && cost < FLT_MAX; }

// nullptr when NCCL does not know or does not allow it.
float* allowedEntry(const CostTable& t, const CompiledChoice& choice) {
  if (choice.algorithm >= t.algorithms || choice.protocol >= t.protocols) return nullptr;
  float* entry = t.costs + ptrdiff_t{choice.algorithm} * t.protocols + choice.protocol;
  return isAllowed(*entry) ? entry : nullptr;
}

// Not &&: whether it is Ring changes from call to call, and the scan is cheaper than a branch that guesses wrong.
bool isGuarded(const CostTable& t, const CompiledChoice& choice, float cost) {
  const bool isRing = choice.algorithm == static_cast<int>(Algorithm::kRing);
  const bool isFar = cost > kGuardFactor * smallestAllowed(t.costs, t.algorithms * t.protocols);
  return static_cast<bool>(isRing & isFar);
}

float predict(const CompiledChoice& choice, uint64_t bytes, float ncclUs) {
  const float us = choice.baseUs + choice.usPerByte * static_cast<float>(bytes);
  return std::clamp(us > 0 ? us : ncclUs, kMinUs, kMaxUs);
}

void choose(const CostTable& t, float* entry, float us) {
  liftUpTo(t.costs, t.algorithms * t.protocols, us, kAbove * us);
  *entry = us;
}

void setChannels(const CompiledChoice& choice, int* nChannels) {
  if (nChannels && choice.channels) *nChannels = choice.channels;
}

bool isSafeUnchecked(int collective, const CompiledChoice& choice) {
  const auto algorithm = static_cast<Algorithm>(choice.algorithm);
  const bool tree = algorithm == Algorithm::kTree && collective == static_cast<int>(Collective::kAllReduce);
  return (tree || algorithm == Algorithm::kRing) && choice.protocol != static_cast<int>(Protocol::kLl128);
}

// Where a larger chunk than NCCL's is of use and safe: NCCL shrinks these two for small messages, from the size of
// the buffer that it also clamps to (src/enqueue.cc calcCollChunking, 2.30.7). Ring's and Tree's other chunks are
// that size already; NVLS and CollNet have smaller buffers than NCCL clamps to, so a larger chunk would overrun them.
bool mayGrow(int algorithm, int protocol) {
  return algorithm == static_cast<int>(Algorithm::kPat) ||
         (algorithm == static_cast<int>(Algorithm::kTree) && protocol == static_cast<int>(Protocol::kLl128));
}

}  // namespace

Decision decide(const Snapshot& snapshot, const Request& request, const CostTable& table, int* nChannels) noexcept {
  if (!isTable(table)) return {};
  const std::span<const CompiledChoice> choices = snapshot.find(request);
  if (choices.empty()) return {};
  for (const CompiledChoice& choice : choices) {
    float* entry = allowedEntry(table, choice);
    if (!entry) continue;
    if (isGuarded(table, choice, *entry)) return {Outcome::kGuarded, &choice};
    choose(table, entry, predict(choice, request.bytes, *entry));
    setChannels(choice, nChannels);
    return {Outcome::kDecided, &choice};
  }
  return {Outcome::kNotAllowed, choices.data()};
}

Decision decideUnchecked(const Snapshot& snapshot, const Request& request, int* algorithm, int* protocol,
                         int* nChannels) noexcept {
  if (!algorithm || !protocol) return {};
  const std::span<const CompiledChoice> choices = snapshot.find(request);
  if (choices.empty()) return {};
  for (const CompiledChoice& choice : choices) {
    if (!isSafeUnchecked(request.collective, choice)) continue;
    *algorithm = choice.algorithm;
    *protocol = choice.protocol;
    setChannels(choice, nChannels);
    return {Outcome::kDecided, &choice};
  }
  return {Outcome::kNotAllowed, choices.data()};
}

size_t decideChunk(const Snapshot& snapshot, int collective, int algorithm, int protocol, uint64_t bytes,
                   size_t ncclChunk) noexcept {
  const uint32_t wanted = snapshot.chunk(collective, algorithm, protocol, bytes);
  if (wanted == Snapshot::kNccls) return ncclChunk;
  if (wanted <= ncclChunk || mayGrow(algorithm, protocol)) return wanted;
  return ncclChunk;
}

}  // namespace polyrail
