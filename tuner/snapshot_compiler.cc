// SPDX-License-Identifier: Apache-2.0
// Snapshot::compile: collect the rules that fit, lay them over one another, index what shows.
#include <algorithm>
#include <utility>

#include "tuner/compile.h"
#include "tuner/snapshot.h"

namespace polyrail {
namespace {

// Of rules that show at once, over all sizes: 2 MiB of them, hundreds of times what a sensible policy has.
constexpr size_t kMaxLayers = 1u << 19;

struct Condition {
  std::optional<Range> pipeOps;
  std::optional<bool> regBuff;
};

bool admits(const Condition& condition, Registered registered) {
  if (!condition.regBuff) return true;
  return registered == (*condition.regBuff ? Registered::kYes : Registered::kNo);
}

}  // namespace

class SnapshotCompiler {
 public:
  SnapshotCompiler(const Policy& policy, const Shape& shape) : policy_(policy), shape_(shape) {}

  Result<Snapshot> run() {
    for (uint32_t t = 0; t < policy_.tables.size(); t++)
      if (fits(policy_.tables[t].layout, shape_)) addTable(t);
    for (size_t c = 0; c < sizes_.size(); c++)
      if (Status bad = indexSizes(c); !bad.ok()) return bad;
    indexChunks();
    return std::move(out_);
  }

 private:
  void addTable(uint32_t t) {
    const Table& table = policy_.tables[t];
    for (uint32_t r = 0; r < table.rules.size(); r++) {
      const Rule& rule = table.rules[r];
      // Registration differs from rank to rank unless the application promises otherwise.
      if (rule.regBuff && !policy_.options.uniformApplication) continue;
      if (rule.choices.empty()) continue;
      if (const auto bytes = totalBytes(rule, table.collective, shape_.ranks)) addRule(table, rule, *bytes, {t, r});
    }
  }

  void addRule(const Table& table, const Rule& rule, Interval bytes, Origin origin) {
    bytes.id = static_cast<uint32_t>(out_.rules_.size());
    sizes_[static_cast<size_t>(table.collective)].push_back(bytes);
    out_.rules_.push_back(compileRule(rule, table, policy_.options, shape_));
    out_.origins_.push_back(origin);
    given_.push_back({rule.pipeOps, rule.regBuff});
  }

  Status indexSizes(size_t collective) {
    if (sizes_[collective].empty()) return {};
    const std::optional<Layers> layers = overlay(sizes_[collective], kMaxLayers);
    if (!layers)
      return Status::error("too many rules with pipeOps or regBuff overlap in size; give them separate sizes");
    std::vector<SizeIndex::Step> index;
    for (size_t i = 0; i < layers->stretches.size(); i++) {
      const Stretch& s = layers->stretches[i];
      const bool isLast = i + 1 == layers->stretches.size();
      const uint64_t last = isLast ? UINT64_MAX : layers->stretches[i + 1].start - 1;
      for (uint32_t rule : layers->at(s)) shown_.push_back({s.start, last, rule, false});
      index.push_back({s.start, target(layers->at(s))});
    }
    out_.decisions_[collective] = SizeIndex(std::move(index));
    return {};
  }

  // What the index says for a stretch where these rules show, topmost first.
  uint32_t target(std::span<const uint32_t> rules) {
    if (rules.empty()) return SizeIndex::kNothing;
    const Condition& first = given_[rules.front()];
    if (!first.pipeOps && !first.regBuff) return rules.front();
    return Snapshot::kConditional | addConditions(rules);
  }

  uint32_t addConditions(std::span<const uint32_t> rules) {
    Snapshot::Conditions added;
    for (size_t v = 0; v < 3; v++) {
      added.begin[v] = static_cast<uint32_t>(out_.pieces_.size());
      addPieces(rules, static_cast<Registered>(v));
    }
    added.begin[3] = static_cast<uint32_t>(out_.pieces_.size());
    out_.conditions_.push_back(added);
    return static_cast<uint32_t>(out_.conditions_.size() - 1);
  }

  void addPieces(std::span<const uint32_t> rules, Registered registered) {
    std::vector<Interval> groups;
    for (uint32_t rule : rules) {
      if (!admits(given_[rule], registered)) continue;
      const Range operations = given_[rule].pipeOps.value_or(Range{});
      groups.push_back({operations.min, operations.max, rule, false});
    }
    for (const SizeIndex::Step& piece : steps(*overlay(groups, SIZE_MAX))) out_.pieces_.push_back(piece);
  }

  // getChunkSize is not told which rule decided, so where slices of two rules meet the earlier rule wins.
  void indexChunks() {
    std::ranges::stable_sort(shown_, {}, &Interval::id);
    for (const Interval& bytes : shown_) addChunks(bytes);
    for (size_t i = 0; i < slices_.size(); i++)
      if (!slices_[i].empty()) out_.chunks_[i] = SizeIndex(steps(*overlay(slices_[i], SIZE_MAX)));
  }

  void addChunks(const Interval& bytes) {
    const Origin origin = out_.origins_[bytes.id];
    const Table& table = policy_.tables[origin.table];
    const CompiledRule& compiled = out_.rules_[bytes.id];
    for (size_t i = 0; i < compiled.count; i++) {
      const CompiledChoice& choice = compiled.choices[i];
      const auto slices = chunkSlices(table.rules[origin.rule].choices[i], bytes, choice.channels);
      const size_t key =
          (static_cast<size_t>(table.collective) * nccl::kNumAlgorithms + choice.algorithm) * nccl::kNumProtocols +
          choice.protocol;
      if (slices) slices_[key].push_back(*slices);
    }
  }

  // Of layers without sheer intervals: the one that shows.
  static std::vector<SizeIndex::Step> steps(const Layers& layers) {
    std::vector<SizeIndex::Step> out;
    for (const Stretch& s : layers.stretches)
      out.push_back({s.start, s.begin == s.end ? SizeIndex::kNothing : layers.ids[s.begin]});
    return out;
  }

  const Policy& policy_;
  const Shape& shape_;
  Snapshot out_;
  std::vector<Condition> given_;  // parallel to out_.rules_
  std::array<std::vector<Interval>, nccl::kNumCollectives> sizes_;
  std::vector<Interval> shown_;  // where each rule can decide; id is the rule
  std::array<std::vector<Interval>, nccl::kNumCollectives * nccl::kNumAlgorithms * nccl::kNumProtocols> slices_;
};

Result<Snapshot> Snapshot::compile(const Policy& policy, const Shape& shape) {
  return SnapshotCompiler(policy, shape).run();
}

}  // namespace polyrail
