// SPDX-License-Identifier: Apache-2.0
// One NCCL communicator's tuner context. Made by open, owned by NCCL as void*, freed by close. NCCL calls the rest
// from the one thread that enqueues the communicator's collectives, so its counters are plain loads and stores;
// different communicators run at once. Nothing here throws, and nothing fails: what cannot be had turns the tuner
// off.
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "common/log.h"
#include "common/nccl/tuner_abi.h"
#include "tuner/decide.h"

namespace polyrail {

class alignas(64) Communicator {
 public:
  // nullptr when there is no memory for it, which the other functions take for a tuner that is off. Logs the line
  // that names the policy; overrides `constants` when given and the policy says so. With `off`, a reason that a
  // person understands, no rule is ever used.
  static Communicator* open(const Shape& shape, nccl::LogFunction logger, nccl::TunerConstantsV5* constants,
                            const char* off = nullptr) noexcept;
  static void close(Communicator* communicator) noexcept;

  // decide(), decideUnchecked() and decideChunk() with the communicator's snapshot.
  void onTable(const Request& request, const CostTable& table, int* nChannels) noexcept {
    if (snapshot_) count(decide(*snapshot_, request, table, nChannels).outcome);
  }
  void onNoTable(const Request& request, int* algorithm, int* protocol, int* nChannels) noexcept {
    if (snapshot_) count(decideUnchecked(*snapshot_, request, algorithm, protocol, nChannels).outcome);
  }
  void onChunk(int collective, int algorithm, int protocol, uint64_t bytes, size_t* chunk) const noexcept {
    if (snapshot_) *chunk = decideChunk(*snapshot_, collective, algorithm, protocol, bytes, *chunk);
  }

  // Calls so far with this outcome.
  uint64_t calls(Outcome outcome) const noexcept {
    return calls_[static_cast<size_t>(outcome)].load(std::memory_order_relaxed);
  }

 private:
  explicit Communicator(Log log) : log_(log) {}
  void begin(const Shape& shape, nccl::TunerConstantsV5* constants, const char* off);
  void end() const noexcept;
  void count(Outcome outcome) noexcept {
    std::atomic<uint64_t>& n = calls_[static_cast<size_t>(outcome)];
    n.store(n.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  std::shared_ptr<const Snapshot> snapshot_;  // null: off
  std::array<std::atomic<uint64_t>, kNumOutcomes> calls_{};
  Log log_;
  int logDetail_ = 0;
};

}  // namespace polyrail
