// SPDX-License-Identifier: Apache-2.0
// A policy compiled for the communicators of one shape: which rule decides for a collective, size, group and
// registration, and which chunk belongs to a slice. Immutable once compiled and shared by reference count between
// those communicators; any number of threads may ask it. Asking allocates, locks and throws nothing.
#pragma once

#include <array>
#include <cstdint>
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
  uint8_t channels = 0;  // 0: NCCL's own number
};

struct CompiledRule {
  static constexpr size_t kMaxChoices = 3;
  std::array<CompiledChoice, kMaxChoices> choices;
  uint8_t count = 0;
};

// Where a compiled rule came from: policy.tables[table].rules[rule].
struct Origin {
  uint32_t table = 0, rule = 0;
  bool operator==(const Origin&) const = default;
};

class Snapshot {
 public:
  // Matches nothing.
  Snapshot() = default;
  // Tables that fit the shape in the policy's order: for each size an earlier one wins and later ones fill its gaps.
  // Fails when rules with conditions overlap so much that their index would be too large. Throws std::bad_alloc.
  static Result<Snapshot> compile(const Policy& policy, const Shape& shape);

  // The rule that decides, or nullptr. The pointer lives as long as the snapshot.
  const CompiledRule* find(const Request& r) const noexcept {
    if (static_cast<unsigned>(r.collective) >= nccl::kNumCollectives) return nullptr;
    uint32_t found = decisions_[static_cast<unsigned>(r.collective)].find(r.bytes);
    if (found & kConditional && found != SizeIndex::kNothing) found = resolve(found & ~kConditional, r);
    return found == SizeIndex::kNothing ? nullptr : &rules_[found];
  }

  // Chunk bytes that a rule wants for this slice, or SizeIndex::kNothing. `bytes` is what getChunkSize is given: one
  // channel's slice, for CollNet the whole message. Collective, algorithm and protocol may be any number.
  uint32_t chunk(int collective, int algorithm, int protocol, uint64_t bytes) const noexcept;

  Origin origin(const CompiledRule& rule) const { return origins_[static_cast<size_t>(&rule - rules_.data())]; }
  const std::vector<Origin>& fitting() const { return origins_; }

 private:
  friend class SnapshotCompiler;
  static constexpr uint32_t kConditional = 1u << 31;

  // Rules that look at the group's size or at registration: for each Registered a run of pieces
  // [begin[v], begin[v + 1]), the first of which starts at 0 operations.
  struct Conditions {
    std::array<uint32_t, 4> begin;
  };
  uint32_t resolve(uint32_t conditions, const Request& r) const noexcept;

  std::array<SizeIndex, nccl::kNumCollectives> decisions_;  // to an index of rules_, or kConditional | of conditions_
  std::vector<CompiledRule> rules_;
  std::vector<Conditions> conditions_;
  std::vector<SizeIndex::Step> pieces_;  // operations in the group -> index of rules_
  std::array<SizeIndex, nccl::kNumCollectives * nccl::kNumAlgorithms * nccl::kNumProtocols> chunks_;
  std::vector<Origin> origins_;  // parallel to rules_
};

}  // namespace polyrail
