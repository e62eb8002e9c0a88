// SPDX-License-Identifier: Apache-2.0
// A policy compiled for the communicators of one shape: which rule decides for a collective, size, group and
// registration, and which chunk belongs to a slice. Immutable once compiled and shared by reference count between
// those communicators; any number of threads may ask it. Asking allocates, locks and throws nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/policy/policy.h"
#include "common/status.h"
#include "tuner/shape.h"
#include "tuner/size_index.h"

namespace polyrail {

// Whether NCCL can use the user's buffers in place; not told before ABI v4.
enum class Registered : uint8_t { kUnknown, kNo, kYes };

struct Request {
  int collective = 0;  // NCCL's number; beyond the five of terms.h nothing is ever found
  uint64_t bytes = 0;  // total, as NCCL counts: per-rank bytes * ranks for AllGather and ReduceScatter
  int pipeOps = 1;
  Registered registered = Registered::kUnknown;
};

// One way to do it, ready to be written into NCCL's table.
struct CompiledChoice {
  float baseUs = 0;  // predicted time is baseUs + usPerByte * total bytes; not above 0 when there is no prediction
  float usPerByte = 0;
  uint8_t algorithm = 0;
  uint8_t protocol = 0;
  uint8_t channels = 0;      // 0: NCCL's own number
  uint8_t alternatives = 0;  // choices of the same rule that follow this one
};

// Where a decision came from: policy.tables[table].rules[rule].
struct Origin {
  uint32_t table = 0, rule = 0;
  bool operator==(const Origin&) const = default;
};

// Of collective, algorithm and protocol, and the place of each among them.
inline constexpr size_t kNumCombinations = size_t{nccl::kNumCollectives} * nccl::kNumAlgorithms * nccl::kNumProtocols;
constexpr size_t combination(size_t collective, size_t algorithm, size_t protocol) {
  return (collective * nccl::kNumAlgorithms + algorithm) * nccl::kNumProtocols + protocol;
}

class Snapshot {
 public:
  // Matches nothing.
  Snapshot() = default;
  // Tables that fit the shape in the policy's order: for each size an earlier one wins and later ones fill its gaps.
  // Fails when rules with conditions overlap so much that their index would be too large. Throws std::bad_alloc.
  static Result<Snapshot> compile(const Policy& policy, const Shape& shape);

  // The choices of the rule that decides, best first; empty when none does. They live as long as the snapshot.
  std::span<const CompiledChoice> find(const Request& r) const noexcept {
    if (static_cast<unsigned>(r.collective) >= nccl::kNumCollectives) return {};
    const Decisions& decisions = decisions_[static_cast<unsigned>(r.collective)];
    const CompiledChoice* only = decisions.onlyChoices.find(r.bytes);
    if (!only) return {};
    if (only->alternatives == 0) return {only, 1};
    return choicesOf(ruleOf(decisions.targets[decisions.onlyChoices.ordinal(only)], r));
  }

  // Which rule that is. Not for the hot path.
  std::optional<Origin> explain(const Request& request) const;
  // The policy's rules that fit the shape, in order.
  std::span<const Origin> fitting() const { return origins_; }

  // Chunk bytes that a rule wants for this slice, or kNccls. `bytes` is what getChunkSize is given: one channel's
  // slice, for CollNet the whole message. Collective, algorithm and protocol may be any number.
  static constexpr uint32_t kNccls = 0;
  uint32_t chunk(int collective, int algorithm, int protocol, uint64_t bytes) const noexcept;

 private:
  friend class SnapshotCompiler;
  using RuleId = uint32_t;  // index of rules_ and origins_
  static constexpr RuleId kNoRule = UINT32_MAX;

  // What the sizes of one collective lead to. A rule with one choice has it right in the index; for what has
  // alternatives, or is kElsewhere, the step's target tells: a rule, kConditions | index of conditions_, or kNoRule.
  struct Decisions {
    SizeIndex<CompiledChoice> onlyChoices;
    std::vector<uint32_t> targets;  // parallel to the steps
  };
  static constexpr uint8_t kElsewhere = 255;
  static constexpr uint32_t kConditions = 1u << 31;

  // Rules that look at the group's size or at registration: for each Registered a run of pieces
  // [begin[v], begin[v + 1]), the first of which starts at 0 operations.
  struct Conditions {
    std::array<uint32_t, 4> begin;
  };
  struct Piece {
    uint64_t operations;  // and more, up to the next piece
    RuleId rule;
  };
  RuleId ruleOf(uint32_t target, const Request& r) const noexcept;
  std::span<const CompiledChoice> choicesOf(RuleId rule) const noexcept;

  std::array<Decisions, nccl::kNumCollectives> decisions_;
  std::vector<uint32_t> rules_;  // a rule's first choice
  std::vector<CompiledChoice> choices_;
  std::vector<Conditions> conditions_;
  std::vector<Piece> pieces_;
  std::array<SizeIndex<uint32_t>, kNumCombinations> chunks_;
  std::vector<Origin> origins_;
};

}  // namespace polyrail
