// SPDX-License-Identifier: Apache-2.0
#include "cli/deploy/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace polyrail::cli {
namespace {

std::string shortName(const std::string& host) { return host.substr(0, host.find('.')); }

// The host that was asked under which an answer counts: the launch's only one, the one that pdsh or srun names before
// the answer, the one that the node calls itself; else the node's own name.
std::string askedName(const Launch& launch, const FoundFacts& found) {
  if (launch.hosts.size() == 1) return launch.hosts[0];
  const std::string prefix = found.before.substr(0, found.before.find_first_of(": "));
  for (const std::string& name : {prefix, found.facts.host})
    for (const std::string& host : launch.hosts)
      if (host == name || (!name.empty() && shortName(host) == shortName(name))) return host;
  return found.facts.host;
}

std::string lastLine(const std::string& text) {
  const size_t end = text.find_last_not_of("\r\n \t");
  if (end == text.npos) return "";
  const size_t begin = text.find_last_of("\n", end);
  return text.substr(begin == text.npos ? 0 : begin + 1, end - (begin == text.npos ? 0 : begin + 1) + 1);
}

std::string whySilent(const Outcome& o) {
  if (!o.failure.empty()) return "could not be started: " + o.failure;
  if (o.timedOut) return "no answer in time";
  const std::string said = lastLine(o.errors.empty() ? o.output : o.errors);
  return fmt::format("exit status {}{}{}", o.exitStatus, said.empty() ? "" : ": ", said);
}

bool same(const NodeFacts& a, const NodeFacts& b) { return a.host == b.host && a.of == b.of; }

void takeAnswers(const Launch& launch, const Outcome& outcome, Comparison& out) {
  const size_t before = out.nodes.size();
  std::istringstream lines(outcome.output);
  for (std::string line; std::getline(lines, line);)
    if (std::optional<FoundFacts> found = factsInLine(line)) {
      found->facts.host = askedName(launch, *found);
      const auto known = [&](const NodeFacts& n) { return same(n, found->facts); };
      if (std::none_of(out.nodes.begin() + static_cast<ptrdiff_t>(before), out.nodes.end(), known))
        out.nodes.push_back(found->facts);
    }
  for (const std::string& host : launch.hosts) {
    const auto is = [&](const NodeFacts& n) { return n.host == host; };
    if (std::none_of(out.nodes.begin() + static_cast<ptrdiff_t>(before), out.nodes.end(), is))
      out.silent.push_back({host, whySilent(outcome)});
  }
}

std::vector<Group> groupsOf(const std::vector<NodeFacts>& nodes, Fact fact) {
  std::vector<Group> groups;
  for (const NodeFacts& node : nodes) {
    const auto has = [&](const Group& g) { return g.value == node[fact]; };
    auto at = std::find_if(groups.begin(), groups.end(), has);
    if (at == groups.end()) at = groups.insert(groups.end(), {node[fact], {}});
    at->hosts.push_back(node.host);
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.hosts.size() > b.hosts.size(); });
  return groups;
}

}  // namespace

bool Comparison::agrees() const {
  const auto one = [](const std::vector<Group>& g) { return g.size() == 1; };
  return silent.empty() && !nodes.empty() && std::all_of(groups.begin(), groups.end(), one);
}

Comparison readAnswers(const std::vector<Launch>& launches, const std::vector<Outcome>& outcomes) {
  Comparison out;
  for (size_t i = 0; i < launches.size(); i++) takeAnswers(launches[i], outcomes[i], out);
  for (Fact fact : kFacts) out.groups[static_cast<size_t>(fact)] = groupsOf(out.nodes, fact);
  return out;
}

Comparison compareNodes(const std::vector<Launch>& launches, const RunLimits& limits) {
  std::vector<std::string> lines;
  for (const Launch& launch : launches) lines.push_back(launch.line);
  return readAnswers(launches, runCommands(lines, limits));
}

}  // namespace polyrail::cli
