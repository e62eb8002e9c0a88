// SPDX-License-Identifier: Apache-2.0
// What must be the same on all nodes of a job, in one line that survives whatever a launcher puts around it. NCCL
// never checks any of it; ranks that differ choose differently and hang. Plain values; one thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace polyrail::cli {

// In the order in which they are told.
enum class Fact { kPolicy, kTuner, kNet, kNccl };
inline constexpr std::array kFacts = {Fact::kPolicy, Fact::kTuner, Fact::kNet, Fact::kNccl};
const char* name(Fact fact);

struct NodeFacts {
  std::string host;                           // as the node calls itself
  std::array<std::string, kFacts.size()> of;  // SHA-256 of the policy and the plugins, NCCL's version; or "none"
  const std::string& operator[](Fact fact) const { return of[static_cast<size_t>(fact)]; }
};

// Of this machine. `policy` empty: the file that the plugins would use here. A policy that they would not take is
// "unusable-" and its digest. `folders` are looked at before libraryFolders().
NodeFacts nodeFacts(const std::string& policy, std::vector<std::string> folders);

// One line, without its end.
std::string factsLine(const NodeFacts& facts);

struct FoundFacts {
  NodeFacts facts;
  std::string before;  // what stands before them in the line: pdsh and srun put a name there
};
// Nothing when the line holds none, or only part of them.
std::optional<FoundFacts> factsInLine(std::string_view line);

}  // namespace polyrail::cli
