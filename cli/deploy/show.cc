// SPDX-License-Identifier: Apache-2.0
#include "cli/deploy/show.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/deploy/install.h"

namespace polyrail::cli {
namespace {

size_t ruleCount(const Policy& policy) {
  size_t n = 0;
  for (const Table& table : policy.tables) n += table.rules.size();
  return n;
}

std::string orDash(const std::string& text) { return text.empty() ? "-" : text; }

std::string ncclRange(const Identity& id) {
  if (id.ncclMin.empty() && id.ncclMax.empty()) return "";
  return id.ncclMin == id.ncclMax ? id.ncclMin : fmt::format("{} to {}", orDash(id.ncclMin), orDash(id.ncclMax));
}

}  // namespace

Result<ShownPolicy> readShownPolicy(const std::string& path) {
  Result<LoadedPolicy> loaded = loadPolicyFile(path);
  if (!loaded.ok()) return loaded.status();
  ShownPolicy shown{std::move(loaded).value(), {}, {}};
  if (const Result<std::string> bytes = readPolicyFile(previousPolicyPath(path)); bytes.ok()) {
    shown.previousPath = previousPolicyPath(path);
    shown.previousDigest = policyDigest(bytes.value());
  }
  return shown;
}

std::string toText(const ShownPolicy& shown) {
  const Policy& p = shown.policy.policy;
  std::string text = fmt::format(
      "file      {}\nsha256    {}\nname      {}\ncluster   {}\ngpu       {}\nnic       {}\nnccl      {}\nlearned   "
      "{}\n"
      "rules     {} in {} table{}\n",
      shown.policy.path, shown.policy.digest, orDash(p.name), orDash(p.identity.cluster), orDash(p.identity.gpu),
      orDash(p.identity.nic), orDash(ncclRange(p.identity)), orDash(p.identity.learnedAt), ruleCount(p),
      p.tables.size(), p.tables.size() == 1 ? "" : "s");
  if (!shown.previousPath.empty()) text += fmt::format("previous  {} {}\n", shown.previousDigest, shown.previousPath);
  return text;
}

nlohmann::ordered_json toJson(const ShownPolicy& shown) {
  const Policy& p = shown.policy.policy;
  nlohmann::ordered_json out = {
      {"file", shown.policy.path},      {"sha256", shown.policy.digest},  {"name", p.name},
      {"cluster", p.identity.cluster},  {"gpu", p.identity.gpu},          {"nic", p.identity.nic},
      {"nccl_min", p.identity.ncclMin}, {"nccl_max", p.identity.ncclMax}, {"learned", p.identity.learnedAt},
      {"tables", p.tables.size()},      {"rules", ruleCount(p)}};
  if (!shown.previousPath.empty()) out["previous"] = {{"file", shown.previousPath}, {"sha256", shown.previousDigest}};
  return out;
}

}  // namespace polyrail::cli
