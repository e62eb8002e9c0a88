// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/plan_file.h"

#include <fstream>
#include <iterator>

#include "common/policy/field_reader.h"

namespace polyrail::sweep {
namespace {

constexpr uint64_t kFormat = 1;
constexpr size_t kMostEntries = 1000;

template <typename Enum>
void readNames(FieldReader& in, const JsonNode& n, std::vector<Enum>& into,
               std::optional<Enum> (*parse)(std::string_view), std::string_view (*name)(Enum), int count) {
  into.clear();
  in.list(n, kMostEntries, [&](const JsonNode& e) { into.push_back(in.word<Enum>(e, parse, name, count)); });
}

constexpr Field<Layout> kLayoutFields[] = {
    {"nodes", kRequired, [](FieldReader& in, const JsonNode& n, Layout& l) { l.nodes = in.smallWhole(n); }},
    {"ranks_per_node", kRequired,
     [](FieldReader& in, const JsonNode& n, Layout& l) { l.ranksPerNode = in.smallWhole(n); }},
};

constexpr Field<Plan> kSizeFields[] = {
    {"min", kOptional, [](FieldReader& in, const JsonNode& n, Plan& p) { p.minBytes = in.bytes(n); }},
    {"max", kOptional, [](FieldReader& in, const JsonNode& n, Plan& p) { p.maxBytes = in.bytes(n); }},
    {"factor", kOptional, [](FieldReader& in, const JsonNode& n, Plan& p) { p.factor = in.smallWhole(n); }},
};

void readEnvironment(FieldReader& in, const JsonNode& n, Plan& p) {
  if (n.kind != JsonKind::kObject) return in.fail(n, "must be an object of names and values");
  for (const JsonNode* v = in.tree().firstChild(n); v && !in.problem(); v = in.tree().nextSibling(*v))
    p.environment[std::string(in.tree().key(*v))] = in.text(*v);
}

constexpr Field<Plan> kFields[] = {
    {"polyrail_sweep", kRequired, [](FieldReader&, const JsonNode&, Plan&) {}},  // checked before all else
    {"collectives", kOptional,
     [](FieldReader& in, const JsonNode& n, Plan& p) {
       readNames(in, n, p.collectives, nccl::parseCollective, nccl::name, nccl::kNumCollectives);
     }},
    {"layouts", kOptional,
     [](FieldReader& in, const JsonNode& n, Plan& p) {
       p.layouts.clear();
       in.list(n, kMostEntries,
               [&](const JsonNode& e) { in.object<Layout>(e, kLayoutFields, p.layouts.emplace_back()); });
     }},
    {"sizes", kOptional, [](FieldReader& in, const JsonNode& n, Plan& p) { in.object<Plan>(n, kSizeFields, p); }},
    {"algorithms", kOptional,
     [](FieldReader& in, const JsonNode& n, Plan& p) {
       readNames(in, n, p.algorithms, nccl::parseAlgorithm, nccl::name, nccl::kNumAlgorithms);
     }},
    {"protocols", kOptional,
     [](FieldReader& in, const JsonNode& n, Plan& p) {
       readNames(in, n, p.protocols, nccl::parseProtocol, nccl::name, nccl::kNumProtocols);
     }},
    {"channels", kOptional,
     [](FieldReader& in, const JsonNode& n, Plan& p) {
       p.channels.clear();
       in.list(n, kMostEntries, [&](const JsonNode& e) { p.channels.push_back(in.smallWhole(e)); });
     }},
    {"repeats", kOptional, [](FieldReader& in, const JsonNode& n, Plan& p) { p.repeats = in.smallWhole(n); }},
    {"attempts", kOptional, [](FieldReader& in, const JsonNode& n, Plan& p) { p.attempts = in.smallWhole(n); }},
    {"timeout", kOptional, [](FieldReader& in, const JsonNode& n, Plan& p) { p.timeout = in.number(n); }},
    {"iterations", kOptional, [](FieldReader& in, const JsonNode& n, Plan& p) { p.iterations = in.smallWhole(n); }},
    {"warmup", kOptional, [](FieldReader& in, const JsonNode& n, Plan& p) { p.warmups = in.smallWhole(n); }},
    {"full", kOptional, [](FieldReader& in, const JsonNode& n, Plan& p) { p.full = in.boolean(n); }},
    {"launcher", kOptional, [](FieldReader& in, const JsonNode& n, Plan& p) { p.launcher = in.text(n); }},
    {"program", kOptional, [](FieldReader& in, const JsonNode& n, Plan& p) { p.program = in.text(n); }},
    {"arguments", kOptional, [](FieldReader& in, const JsonNode& n, Plan& p) { p.arguments = in.text(n); }},
    {"environment", kOptional, readEnvironment},
};

// First of all: a later format may have keys that would only look misspelt.
void checkFormat(FieldReader& in, const JsonNode& root) {
  const JsonNode* format = in.tree().find(root, "polyrail_sweep");
  if (!format) return in.fail(root, "is not a sweep's plan: it has no \"polyrail_sweep\": 1");
  const uint64_t written = in.whole(*format);
  if (!in.problem() && written != kFormat)
    in.fail(*format, "format " + std::to_string(written) + " is not known; this polyrail reads format 1");
}

template <typename Enum>
std::vector<std::string_view> names(const std::vector<Enum>& values) {
  std::vector<std::string_view> out;
  for (const Enum v : values) out.push_back(nccl::name(v));
  return out;
}

}  // namespace

Result<Plan> parsePlan(std::string_view json, std::string_view place) {
  const Result<JsonTree> tree = JsonTree::parse(json, place);
  if (!tree.ok()) return tree.status();
  FieldReader in(tree.value(), place);
  Plan plan;
  checkFormat(in, tree.value().root());
  if (!in.problem()) in.object<Plan>(tree.value().root(), kFields, plan);
  if (in.problem()) return *in.problem();
  return plan;
}

Result<Plan> loadPlan(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file) return Status::error("cannot read " + path);
  return parsePlan(text, path);
}

nlohmann::ordered_json planJson(const Plan& p) {
  auto layouts = nlohmann::ordered_json::array();
  for (const Layout& l : p.layouts) layouts.push_back({{"nodes", l.nodes}, {"ranks_per_node", l.ranksPerNode}});
  return {{"polyrail_sweep", kFormat},
          {"collectives", names(p.collectives)},
          {"layouts", layouts},
          {"sizes", {{"min", p.minBytes}, {"max", p.maxBytes}, {"factor", p.factor}}},
          {"algorithms", names(p.algorithms)},
          {"protocols", names(p.protocols)},
          {"channels", p.channels},
          {"repeats", p.repeats},
          {"attempts", p.attempts},
          {"timeout", p.timeout},
          {"iterations", p.iterations},
          {"warmup", p.warmups},
          {"full", p.full},
          {"launcher", p.launcher},
          {"program", p.program},
          {"arguments", p.arguments},
          {"environment", p.environment}};
}

}  // namespace polyrail::sweep
