// SPDX-License-Identifier: Apache-2.0
// A policy: what to choose for which collective, communicator shape and message size, with the evidence for it.
// This is the model of the JSON file described in docs/policy-format.md; plain values, owned by whoever holds them,
// immutable once parsed, so any number of threads may read one. Sizes are bytes: of the whole message for AllReduce,
// Broadcast and Reduce, per rank for AllGather and ReduceScatter (nccl::keyedPerRank). Times are microseconds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/nccl/terms.h"

namespace polyrail {

inline constexpr uint64_t kNoLimit = UINT64_MAX;  // "to": null in the file: no upper end

// What validatePolicy insists on; see docs/policy-format.md.
inline constexpr size_t kMaxChoices = 3;
inline constexpr size_t kMaxAlternates = 16;    // rules of one table that hold for the same size
inline constexpr double kMinTimeUs = 0.001;     // so that a predicted time is positive as a float too
inline constexpr double kMaxTimeUs = 1e9;       // of TimeModel::baseUs and usPerMib
inline constexpr double kMinBandwidth = 0.001;  // GB/s

// A closed range; the default matches everything.
struct Range {
  uint64_t min = 0;
  uint64_t max = kNoLimit;
  bool contains(uint64_t v) const { return v >= min && v <= max; }
  bool operator==(const Range&) const = default;
};

// The communicators a table is valid for. A shape with ranks % nodes != 0 matches no layout.
struct Layout {
  Range nodes;
  Range ranksPerNode;
  // NVLink domains in the communicator and ranks in each, as NCCL reports them from ABI v5 on. A table that states
  // either matches no communicator of an older ABI.
  std::optional<Range> nvlDomains;
  std::optional<Range> ranksPerNvlDomain;
  bool operator==(const Layout&) const = default;
};

// Predicted time of a choice inside its rule: baseUs + usPerMib * (total bytes / 2^20).
struct TimeModel {
  double baseUs = 0;    // kMinTimeUs..kMaxTimeUs
  double usPerMib = 0;  // 0..kMaxTimeUs
  bool operator==(const TimeModel&) const = default;
};

struct Choice {
  nccl::Algorithm algorithm = nccl::Algorithm::kRing;
  nccl::Protocol protocol = nccl::Protocol::kSimple;
  std::optional<int> channels;         // 1..64; absent: NCCL's own number
  std::optional<uint64_t> chunkBytes;  // only with channels; a multiple of the protocol's grain (nccl::kGrainBytes)
  std::optional<TimeModel> time;
  bool operator==(const Choice&) const = default;
};

// Why the first choice is there. Gains are time saved against NCCL's default: 0.12 is 12 %.
struct Evidence {
  double gain = 0;
  double gainLow = 0;  // confidence interval of the gain
  double gainHigh = 0;
  double confidence = 0.95;
  double minimumDetectable = 0;
  uint64_t samples = 0;           // measured times behind the first choice
  uint64_t candidates = 0;        // choices compared
  std::optional<uint64_t> wrong;  // "#wrong" values seen with the first choice; absent: never checked
  bool ll128Default = false;      // NCCL enables LL128 by itself on this machine
  bool operator==(const Evidence&) const = default;
};

// One size interval [from, to) with its ranked choices: the first that NCCL allows is taken.
struct Rule {
  uint64_t from = 0;
  uint64_t to = kNoLimit;
  std::optional<Range> pipeOps;  // operations in the NCCL group; absent: any
  std::optional<bool> regBuff;   // registered buffers; needs Options::uniformApplication
  std::vector<Choice> choices;   // 1..3
  std::optional<Evidence> evidence;
  bool operator==(const Rule&) const = default;
};

struct Table {
  nccl::Collective collective = nccl::Collective::kAllReduce;
  Layout layout;
  std::optional<int> maxChannels;  // the pool seen when this was measured; a rule's channels never exceed it
  // Sorted by `from`; may overlap only where pipeOps or regBuff differ. Of several that hold, the first counts.
  std::vector<Rule> rules;
  bool operator==(const Table&) const = default;
};

// Who measured, on what, when. Checked by `polyrail check`, never used to decide.
struct Identity {
  std::string cluster, gpu, nic;
  std::string ncclMin, ncclMax;  // "2.24.3"; empty: not stated
  std::string learnedAt;         // ISO 8601 UTC
  std::vector<std::string> sources;
  bool operator==(const Identity&) const = default;
};

struct Options {
  bool uniformApplication = false;  // every rank registers alike: rules may look at regBuff
  bool allGatherChannels = false;   // set AllGather's channels on ABI v5 and v6 too, where AllGatherV does not clamp
  bool operator==(const Options&) const = default;
};

// Overrides for NCCL's model constants (ABI v5 and v6): one number of one array, by NCCL's names and indices.
struct ConstantOverride {
  std::string array;         // "baseLatencies", "hwLatencies", "llMaxBws", "perChMaxRingLL128Bws", ...
  std::array<int, 3> index;  // unused trailing indices are 0
  double value = 0;
  bool operator==(const ConstantOverride&) const = default;
};

struct Policy {
  std::string name;
  Identity identity;
  Options options;
  std::vector<ConstantOverride> constants;
  std::vector<Table> tables;  // for one collective and shape, an earlier table goes before a later one
  bool operator==(const Policy&) const = default;
};

}  // namespace polyrail
