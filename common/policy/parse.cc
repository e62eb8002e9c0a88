// SPDX-License-Identifier: Apache-2.0
// The document and its outer objects; rules are in parse_rule.cc.
#include <new>

#include "common/policy/field_reader.h"
#include "common/policy/model_constants.h"
#include "common/policy/parse_rule.h"
#include "common/policy/place.h"
#include "common/policy/policy_file.h"

namespace polyrail {
namespace {

constexpr uint64_t kFormat = 1;
constexpr size_t kNoMost = SIZE_MAX;

struct NcclVersions {
  std::string min, max;
};

constexpr Field<NcclVersions> kNcclFields[] = {
    {"min", kOptional, [](FieldReader& in, const JsonNode& n, NcclVersions& v) { v.min = in.text(n); }},
    {"max", kOptional, [](FieldReader& in, const JsonNode& n, NcclVersions& v) { v.max = in.text(n); }},
};

void readNccl(FieldReader& in, const JsonNode& n, Identity& id) {
  NcclVersions versions;
  in.object<NcclVersions>(n, kNcclFields, versions);
  id.ncclMin = versions.min;
  id.ncclMax = versions.max;
}

constexpr Field<Identity> kIdentityFields[] = {
    {"cluster", kOptional, [](FieldReader& in, const JsonNode& n, Identity& id) { id.cluster = in.text(n); }},
    {"gpu", kOptional, [](FieldReader& in, const JsonNode& n, Identity& id) { id.gpu = in.text(n); }},
    {"nic", kOptional, [](FieldReader& in, const JsonNode& n, Identity& id) { id.nic = in.text(n); }},
    {"nccl", kOptional, readNccl},
    {"learned", kOptional, [](FieldReader& in, const JsonNode& n, Identity& id) { id.learnedAt = in.text(n); }},
    {"sources", kOptional,
     [](FieldReader& in, const JsonNode& n, Identity& id) {
       in.list(n, kNoMost, [&](const JsonNode& source) { id.sources.push_back(in.text(source)); });
     }},
};

constexpr Field<Options> kOptionFields[] = {
    {"uniform_application", kOptional,
     [](FieldReader& in, const JsonNode& n, Options& o) { o.uniformApplication = in.boolean(n); }},
    {"allgather_channels", kOptional,
     [](FieldReader& in, const JsonNode& n, Options& o) { o.allGatherChannels = in.boolean(n); }},
};

void readArrayName(FieldReader& in, const JsonNode& n, ConstantOverride& c) {
  c.array = in.text(n);
  if (in.problem() || findModelArray(c.array)) return;
  std::vector<std::string> known;
  for (const ModelArray& array : modelArrays()) known.emplace_back(array.name);
  in.unknownWord(n, c.array, known);
}

void readIndex(FieldReader& in, const JsonNode& n, ConstantOverride& c) {
  size_t d = 0;
  in.list(n, c.index.size(), [&](const JsonNode& i) { c.index[d++] = in.smallWhole(i); });
}

constexpr Field<ConstantOverride> kConstantFields[] = {
    {"array", kRequired, readArrayName},
    {"index", kRequired, readIndex},
    {"value", kRequired, [](FieldReader& in, const JsonNode& n, ConstantOverride& c) { c.value = in.number(n); }},
};

// Too few or too many indices are easier to see here, where the list still has a length.
void readConstant(FieldReader& in, const JsonNode& n, Policy& p) {
  ConstantOverride& c = p.constants.emplace_back();
  c.index = {};
  in.object<ConstantOverride>(n, kConstantFields, c);
  if (in.problem()) return;
  const ModelArray& array = *findModelArray(c.array);
  const JsonNode& index = *in.tree().find(n, "index");
  const size_t wanted = static_cast<size_t>(array.dimensions);
  if (!in.tree().element(index, wanted - 1) || in.tree().element(index, wanted))
    in.fail(index, std::string(array.name) + " has " + std::to_string(wanted) + " indices");
}

constexpr Field<Policy> kPolicyFields[] = {
    {"polyrail_policy", kRequired, [](FieldReader&, const JsonNode&, Policy&) {}},  // checked before all else
    {"name", kOptional, [](FieldReader& in, const JsonNode& n, Policy& p) { p.name = in.text(n); }},
    {"identity", kOptional,
     [](FieldReader& in, const JsonNode& n, Policy& p) { in.object<Identity>(n, kIdentityFields, p.identity); }},
    {"options", kOptional,
     [](FieldReader& in, const JsonNode& n, Policy& p) { in.object<Options>(n, kOptionFields, p.options); }},
    {"constants", kOptional,
     [](FieldReader& in, const JsonNode& n, Policy& p) {
       in.list(n, kNoMost, [&](const JsonNode& c) { readConstant(in, c, p); });
     }},
    {"tables", kOptional,
     [](FieldReader& in, const JsonNode& n, Policy& p) {
       in.list(n, kNoMost, [&](const JsonNode& t) { readTable(in, t, p.tables.emplace_back()); });
     }},
};

// First of all: a later format may have keys that would only look misspelt.
void checkFormat(FieldReader& in, const JsonNode& root) {
  const JsonNode* format = in.tree().find(root, "polyrail_policy");
  if (!format) return in.fail(root, "is not a polyrail policy: it has no \"polyrail_policy\": 1");
  const uint64_t written = in.whole(*format);
  if (!in.problem() && written != kFormat)
    in.fail(*format, "format " + std::to_string(written) + " is not known; this polyrail reads format 1");
}

Result<Policy> read(const JsonTree& tree, std::string_view place) {
  FieldReader in(tree, place);
  Policy policy;
  checkFormat(in, tree.root());
  if (!in.problem()) in.object<Policy>(tree.root(), kPolicyFields, policy);
  if (in.problem()) return *in.problem();
  const std::optional<PolicyProblem> found = findProblem(policy);
  if (!found) return policy;
  return Status::error(std::string(place) + ":" + std::to_string(lineOf(tree, found->place)) + ": " +
                       found->place.text() + ": " + found->reason);
}

}  // namespace

Result<Policy> parsePolicy(std::string_view json, std::string_view placeName) {
  const std::string place(placeName);
  if (json.size() > kMaxPolicyBytes) return Status::error(place + ": a policy has at most 16 MiB");
  try {
    Result<JsonTree> tree = JsonTree::parse(json, place);
    if (!tree.ok()) return tree.status();
    return read(tree.value(), place);
  } catch (const std::bad_alloc&) {
    return Status::error(place + ": not enough memory to read it");
  }
}

}  // namespace polyrail
