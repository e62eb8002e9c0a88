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
    out_.rules_.push_back(static_cast<uint32_t>(out_.choices_.size()));
    out_.origins_.push_back(origin);
    for (const CompiledChoice& choice : compileChoices(rule, table, policy_.options, shape_))
      out_.choices_.push_back(choice);
    given_.push_back({rule.pipeOps, rule.regBuff});
  }

  Status indexSizes(size_t collective) {
    if (sizes_[collective].empty()) return {};
    const std::optional<Layers> layers = overlay(sizes_[collective], kMaxLayers);
    if (!layers)
      return Status::error("too many rules with pipeOps or regBuff overlap in size; give them separate sizes");
    Snapshot::Decisions& decisions = out_.decisions_[collective];
    std::vector<SizeIndex<CompiledChoice>::Step> steps;
    for (size_t i = 0; i < layers->stretches.size(); i++) {
      const Stretch& s = layers->stretches[i];
      const bool isLast = i + 1 == layers->stretches.size();
      const uint64_t last = isLast ? UINT64_MAX : layers->stretches[i + 1].start - 1;
      for (uint32_t rule : layers->at(s)) shown_.push_back({s.start, last, rule, false});
      decisions.targets.push_back(target(layers->at(s)));
      steps.push_back({s.start, onlyChoice(decisions.targets.back())});
    }
    decisions.onlyChoices = SizeIndex<CompiledChoice>(steps);
    return {};
  }

  // For a stretch where these rules show, topmost first.
  uint32_t target(std::span<const uint32_t> rules) {
    if (rules.empty()) return Snapshot::kNoRule;
    const Condition& first = given_[rules.front()];
    if (first.pipeOps || first.regBuff) return Snapshot::kConditions | addConditions(rules);
    return rules.front();
  }

  CompiledChoice onlyChoice(uint32_t target) const {
    if (target == Snapshot::kNoRule || target & Snapshot::kConditions) {
      CompiledChoice elsewhere;
      elsewhere.alternatives = Snapshot::kElsewhere;
      return elsewhere;
    }
    return out_.choicesOf(target).front();
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
    const Layers layers = *overlay(groups, SIZE_MAX);
    for (const Stretch& s : layers.stretches) out_.pieces_.push_back({s.start, top(layers, s, Snapshot::kNoRule)});
  }

  // getChunkSize is not told which rule decided, so where slices of two rules meet the earlier rule wins.
  void indexChunks() {
    std::ranges::stable_sort(shown_, {}, &Interval::id);
    for (const Interval& bytes : shown_) addChunks(bytes);
    for (size_t i = 0; i < slices_.size(); i++)
      if (!slices_[i].empty()) out_.chunks_[i] = chunkIndex(slices_[i]);
  }

  void addChunks(const Interval& bytes) {
    const Origin origin = out_.origins_[bytes.id];
    const Table& table = policy_.tables[origin.table];
    const std::vector<Choice>& choices = table.rules[origin.rule].choices;
    const std::span<const CompiledChoice> compiled = out_.choicesOf(bytes.id);
    for (size_t i = 0; i < compiled.size(); i++) {
      const CompiledChoice& choice = compiled[i];
      const auto slices = chunkSlices(choices[i], bytes, choice.channels, shape_);
      const size_t collective = static_cast<size_t>(table.collective);
      if (slices) slices_[combination(collective, choice.algorithm, choice.protocol)].push_back(*slices);
    }
  }

  static SizeIndex<uint32_t> chunkIndex(std::span<const Interval> slices) {
    const Layers layers = *overlay(slices, SIZE_MAX);
    std::vector<SizeIndex<uint32_t>::Step> steps;
    for (const Stretch& s : layers.stretches) steps.push_back({s.start, top(layers, s, Snapshot::kNccls)});
    return SizeIndex<uint32_t>(steps);
  }

  // Of layers without sheer intervals: the one that shows.
  static uint32_t top(const Layers& layers, const Stretch& s, uint32_t none) {
    return s.begin == s.end ? none : layers.ids[s.begin];
  }

  const Policy& policy_;
  const Shape& shape_;
  Snapshot out_;
  std::vector<Condition> given_;  // parallel to out_.rules_
  std::array<std::vector<Interval>, nccl::kNumCollectives> sizes_;
  std::vector<Interval> shown_;  // where each rule can decide; id is the rule
  std::array<std::vector<Interval>, kNumCombinations> slices_;
};

Result<Snapshot> Snapshot::compile(const Policy& policy, const Shape& shape) {
  return SnapshotCompiler(policy, shape).run();
}

}  // namespace polyrail
