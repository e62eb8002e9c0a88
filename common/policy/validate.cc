// SPDX-License-Identifier: Apache-2.0
// One function an object of the policy; each says the first thing wrong with it.
#include <climits>
#include <cmath>

#include "common/policy/model_constants.h"
#include "common/policy/overlap.h"
#include "common/policy/place.h"
#include "common/policy/policy_file.h"

namespace polyrail {
namespace {

using Found = std::optional<PolicyProblem>;

std::string text(std::string_view view) { return std::string(view); }

Found problem(PolicyPlace place, const char* key, std::string reason) {
  place.key = key;
  return PolicyProblem{place, std::move(reason)};
}

bool within(double value, double low, double high) { return value >= low && value <= high; }  // false for NaN

Found checkTime(const Choice& c, const PolicyPlace& at) {
  if (!c.time) return {};
  if (!within(c.time->baseUs, kMinTimeUs, kMaxTimeUs))
    return problem(at, "time", "base_us must be a time from 0.001 to 1e9 microseconds");
  if (!within(c.time->usPerMib, 0, kMaxTimeUs)) return problem(at, "time", "us_per_mib must be from 0 to 1e9");
  return {};
}

Found checkChunk(const Choice& c, const PolicyPlace& at) {
  if (!c.chunkBytes) return {};
  const uint64_t grain = static_cast<uint64_t>(nccl::kGrainBytes[static_cast<size_t>(c.protocol)]);
  if (!c.channels)
    return problem(at, "chunk_bytes", "needs \"channels\" beside it; NCCL asks for a chunk per channel");
  if (*c.chunkBytes == 0 || *c.chunkBytes % grain != 0)
    return problem(at, "chunk_bytes",
                   "must be a multiple of " + std::to_string(grain) + ", the grain of " + text(name(c.protocol)));
  if (*c.chunkBytes > INT_MAX) return problem(at, "chunk_bytes", "must be below 2 GiB");
  return {};
}

Found checkChoice(nccl::Collective collective, const Choice& c, const PolicyPlace& at) {
  if (!hasKernel(collective, c.algorithm, c.protocol))
    return problem(at, "",
                   "NCCL has no kernel for " + text(name(collective)) + " with " + text(name(c.algorithm)) + "/" +
                       text(name(c.protocol)));
  if (c.channels && (*c.channels < 1 || *c.channels > nccl::kMaxChannels))
    return problem(at, "channels", "must be from 1 to 64; leave it out for NCCL's own number");
  if (Found found = checkChunk(c, at)) return found;
  return checkTime(c, at);
}

Found checkEvidence(const Evidence& e, const PolicyPlace& at) {
  constexpr double kWorst = 1e6;  // a choice a million times slower than the default is no measurement
  const char* bad = nullptr;
  if (!within(e.gain, -kWorst, 1)) bad = "gain must be a fraction of the default's time, at most 1 (0.12 is 12 %)";
  if (!within(e.gainLow, -kWorst, 1) || !within(e.gainHigh, e.gainLow, 1))
    bad = "gain_ci must be [low, high] with low <= high <= 1";
  if (!within(e.confidence, 0, 1) || e.confidence <= 0 || e.confidence >= 1)
    bad = "confidence must be above 0 and below 1";
  if (!within(e.minimumDetectable, 0, kWorst)) bad = "minimum_detectable must be 0 or more";
  return bad ? problem(at, "evidence", bad) : Found{};
}

Found checkRule(const Policy& policy, const Table& table, const Rule& rule, PolicyPlace at) {
  if (rule.from >= rule.to)
    return problem(at, "to",
                   "must be above \"from\" (" + std::to_string(rule.from) + "): a rule holds for from <= size < to");
  if (rule.pipeOps && rule.pipeOps->min > rule.pipeOps->max) return problem(at, "pipe_ops", "min is above max");
  if (rule.regBuff && !policy.options.uniformApplication)
    return problem(at, "reg_buff",
                   "registration is known per rank only; a rule may look at it when options.uniform_application says "
                   "that all ranks register alike");
  if (rule.choices.empty() || rule.choices.size() > kMaxChoices)
    return problem(at, "choices", "must have 1 to 3 entries");
  for (size_t i = 0; i < rule.choices.size(); i++) {
    at.choice = i;
    if (Found found = checkChoice(table.collective, rule.choices[i], at)) return found;
  }
  at.choice.reset();
  return rule.evidence ? checkEvidence(*rule.evidence, at) : Found{};
}

Found checkRange(const Range& range, const char* what, const PolicyPlace& at) {
  if (range.min > range.max) return problem(at, "layout", std::string(what) + ": min is above max");
  if (range.max == 0) return problem(at, "layout", std::string(what) + ": 0 matches no communicator");
  return {};
}

Found checkLayout(const Layout& layout, const PolicyPlace& at) {
  if (Found found = checkRange(layout.nodes, "nodes", at)) return found;
  if (Found found = checkRange(layout.ranksPerNode, "ranks_per_node", at)) return found;
  if (layout.nvlDomains)
    if (Found found = checkRange(*layout.nvlDomains, "nvl_domains", at)) return found;
  if (layout.ranksPerNvlDomain) return checkRange(*layout.ranksPerNvlDomain, "ranks_per_nvl_domain", at);
  return {};
}

Found checkTable(const Policy& policy, size_t index) {
  const Table& table = policy.tables[index];
  PolicyPlace at{.constant = {}, .table = index, .rule = {}, .choice = {}};
  if (Found found = checkLayout(table.layout, at)) return found;
  if (table.maxChannels && (*table.maxChannels < 1 || *table.maxChannels > nccl::kMaxChannels))
    return problem(at, "max_channels", "must be from 1 to 64");
  for (size_t i = 0; i < table.rules.size(); i++) {
    at.rule = i;
    if (Found found = checkRule(policy, table, table.rules[i], at)) return found;
  }
  return findOverlap(table, index);
}

Found checkConstant(const ConstantOverride& c, const PolicyPlace& at) {
  const ModelArray* array = findModelArray(c.array);
  if (!array) return problem(at, "array", "NCCL's model has no array of that name");
  for (size_t d = 0; d < 3; d++)
    if (c.index[d] < 0 || c.index[d] >= array->extents[d])
      return problem(
          at, "index",
          "is outside the array; entry " + std::to_string(d) + " must be below " + std::to_string(array->extents[d]));
  if (!within(c.value, array->isLatency ? 0 : kMinBandwidth, kMaxTimeUs))
    return problem(at, "value",
                   array->isLatency ? "must be from 0 to 1e9 microseconds" : "must be from 0.001 to 1e9 GB/s");
  return {};
}

}  // namespace

std::optional<PolicyProblem> findProblem(const Policy& policy) {
  for (size_t i = 0; i < policy.constants.size(); i++)
    if (Found found =
            checkConstant(policy.constants[i], PolicyPlace{.constant = i, .table = {}, .rule = {}, .choice = {}}))
      return found;
  for (size_t i = 0; i < policy.tables.size(); i++)
    if (Found found = checkTable(policy, i)) return found;
  return {};
}

Status validatePolicy(const Policy& policy) {
  const Found found = findProblem(policy);
  if (!found) return {};
  return Status::error(found->place.text() + ": " + found->reason);
}

}  // namespace polyrail
