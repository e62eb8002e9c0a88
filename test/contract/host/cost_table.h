// SPDX-License-Identifier: Apache-2.0
// The cost table that NCCL hands to a tuner: one float per algorithm and protocol, contiguous behind a float**, -1
// where NCCL does not allow the combination (src/enqueue.cc updateCollCostTable, src/graph/tuning.cc; NCCL 2.30.7).
// Guard rows before and behind show a write past either end. A value; copying one takes a snapshot.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>

#include "cli/model/selection.h"
#include "test/contract/host/comm_shape.h"

namespace polyrail::contract {

class CostTable {
 public:
  explicit CostTable(int algorithms);

  int algorithms() const { return algorithms_; }
  float& at(int algorithm, int protocol) { return cells_[index(algorithm, protocol)]; }
  float at(int algorithm, int protocol) const { return cells_[index(algorithm, protocol)]; }
  bool allows(int algorithm, int protocol) const { return at(algorithm, protocol) != nccl::kCostIgnore; }
  // As NCCL passes it.
  float** forPlugin() { return reinterpret_cast<float**>(&cells_[kGuard]); }
  std::span<const float> entries() const {
    return {&cells_[kGuard], static_cast<size_t>(index(algorithms_, 0) - kGuard)};
  }
  bool guardsIntact() const;
  bool sameBits(const CostTable& other) const;

 private:
  static constexpr int kGuard = 2 * nccl::kNumProtocols;
  static int index(int a, int p) { return kGuard + a * nccl::kNumProtocols + p; }
  int algorithms_;
  std::array<float, kGuard + (nccl::kNumAlgorithms + 2) * nccl::kNumProtocols> cells_;
};

// What NCCL takes when it filled `before` and the plugin left `after`.
std::optional<nccl::Selection> pickFrom(nccl::SelectionRule rule, const CostTable& before, const CostTable& after);

// Microseconds for one allowed combination.
using CostModel = std::function<float(const CommShape&, const Call&, int algorithm, int protocol)>;

// True when NCCL would put a cost there for this communicator and call.
bool isAllowed(const CommShape& shape, const Call& call, int algorithm, int protocol);

CostTable fillTable(const CommShape& shape, const Call& call, int algorithms, const CostModel& model);

// NCCL's published starting constants (v5/v6 ABI); the cost model below reads its latencies from them.
nccl::TunerConstantsV5 ncclConstants();

// Latency plus bytes over bandwidth with the constants given: of NCCL's form and size, not its exact numbers.
CostModel plausibleCosts(const nccl::TunerConstantsV5& constants);

}  // namespace polyrail::contract
