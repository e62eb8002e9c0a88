// SPDX-License-Identifier: Apache-2.0
// Asks every node what it has and names the nodes that differ: the usual cause of a job that hangs in its first
// collective. One thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/deploy/launcher.h"
#include "cli/deploy/node_facts.h"
#include "cli/deploy/run_commands.h"

namespace polyrail::cli {

struct Silent {
  std::string host, reason;
};

// One value of one fact, and who has it.
struct Group {
  std::string value;
  std::vector<std::string> hosts;
};

struct Comparison {
  std::vector<NodeFacts> nodes;  // in the order asked; then those that answered unasked
  std::vector<Silent> silent;    // asked, and did not answer
  // For each of kFacts: the values, the most frequent first. One group: all nodes agree.
  std::array<std::vector<Group>, kFacts.size()> groups;
  bool agrees() const;
};

// Runs the launches and reads their answers. A node that answers twice with the same facts counts once; with others,
// as two nodes.
Comparison compareNodes(const std::vector<Launch>& launches, const RunLimits& limits);

// Only the reading: outcomes[i] is of launches[i].
Comparison readAnswers(const std::vector<Launch>& launches, const std::vector<Outcome>& outcomes);

// Lines for people: one a fact on which all agree, one a value where they do not, one a silent node, and the verdict.
std::string toText(const Comparison& comparison);
nlohmann::ordered_json toJson(const Comparison& comparison);

}  // namespace polyrail::cli
