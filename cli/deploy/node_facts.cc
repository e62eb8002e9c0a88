// SPDX-License-Identifier: Apache-2.0
#include "cli/deploy/node_facts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "cli/deploy/find_library.h"
#include "common/policy/policy_file.h"
#include "common/policy/policy_search.h"

namespace polyrail::cli {
namespace {

constexpr std::string_view kMark = "polyrail-node/1 ", kEnd = " end";
constexpr const char* kNames[] = {"policy", "tuner", "net", "nccl"};

std::string hostName() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 && *name ? name : "unknown";
}

std::string policyFact(const std::string& path) {
  if (path.empty()) return "none";
  const Result<std::string> bytes = readPolicyFile(path);
  if (!bytes.ok()) return ::access(path.c_str(), F_OK) == 0 ? "unreadable" : "none";
  const std::string digest = policyDigest(bytes.value());
  return parsePolicy(bytes.value(), path).ok() ? digest : "unusable-" + digest;
}

std::string libraryFact(const std::string& path) {
  if (path.empty()) return "none";
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  return file.bad() || bytes.empty() ? "unreadable" : policyDigest(bytes);
}

// The text after "NAME=" up to a blank.
std::string_view field(std::string_view line, std::string_view name) {
  const std::string key = fmt::format(" {}=", name);
  const size_t at = line.find(key);
  if (at == line.npos) return {};
  const std::string_view rest = line.substr(at + key.size());
  return rest.substr(0, rest.find(' '));
}

}  // namespace

const char* name(Fact fact) { return kNames[static_cast<size_t>(fact)]; }

NodeFacts nodeFacts(const std::string& policy, std::vector<std::string> folders) {
  for (std::string& folder : libraryFolders()) folders.push_back(std::move(folder));
  const std::string nccl = findLibrary(folders, "libnccl.so.2");
  return {
      hostName(),
      {policyFact(policy.empty() ? policyPath() : policy),
       libraryFact(findLibrary(folders, "libnccl-tuner-polyrail.so")),
       libraryFact(findLibrary(folders, "libnccl-net-polyrail.so")), nccl.empty() ? "none" : ncclVersionOf(nccl)}};
}

std::string factsLine(const NodeFacts& facts) {
  std::string line = fmt::format("{}host={}", kMark, facts.host);
  for (Fact fact : kFacts) line += fmt::format(" {}={}", name(fact), facts[fact]);
  return line + std::string(kEnd);
}

std::optional<FoundFacts> factsInLine(std::string_view line) {
  const size_t at = line.find(kMark);
  if (at == line.npos) return {};
  const size_t end = line.find(kEnd, at);
  if (end == line.npos) return {};
  // From the blank that ends the mark: every field has one before it.
  const std::string_view fields = line.substr(at + kMark.size() - 1, end - at - kMark.size() + 1);
  FoundFacts found{{std::string(field(fields, "host")), {}}, std::string(line.substr(0, at))};
  for (Fact fact : kFacts) {
    found.facts.of[static_cast<size_t>(fact)] = field(fields, name(fact));
    if (found.facts[fact].empty()) return {};
  }
  if (found.facts.host.empty()) return {};
  return found;
}

}  // namespace polyrail::cli
