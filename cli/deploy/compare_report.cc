// SPDX-License-Identifier: Apache-2.0
// How a comparison is told.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/deploy/compare.h"

namespace polyrail::cli {
namespace {

constexpr size_t kNamed = 16;  // hosts named in a line; --json names all

std::string plural(size_t n, const char* word) { return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s"); }

// Twelve digits of a digest tell any two apart that anyone has.
std::string shortened(const std::string& value) {
  const size_t at = value.rfind('-') + 1;  // of "unusable-DIGEST"; 0 of a bare digest
  return value.size() - at == 64 ? value.substr(0, at + 12) : value;
}

std::string named(const std::vector<std::string>& hosts) {
  const std::vector<std::string> first(hosts.begin(),
                                       hosts.begin() + static_cast<ptrdiff_t>(std::min(kNamed, hosts.size())));
  return fmt::format("{}{}", fmt::join(first, ","),
                     hosts.size() > kNamed ? fmt::format(" and {} more", hosts.size() - kNamed) : "");
}

std::string factText(Fact fact, const std::vector<Group>& groups) {
  if (groups.size() == 1)
    return fmt::format("{:<7} {}  the same on {}\n", name(fact), shortened(groups[0].value),
                       plural(groups[0].hosts.size(), "node"));
  std::string text = fmt::format("{:<7} differs:\n", name(fact));
  for (const Group& g : groups)
    text += fmt::format("  {}  {}: {}\n", shortened(g.value), plural(g.hosts.size(), "node"), named(g.hosts));
  return text;
}

std::string verdict(const Comparison& c) {
  if (c.agrees()) return "All nodes agree.\n";
  std::string text;
  bool differs = false;
  for (const auto& groups : c.groups) differs = differs || groups.size() > 1;
  if (differs) text += "A job on these nodes can hang: NCCL never checks that ranks agree.\n";
  if (!c.silent.empty()) text += fmt::format("{} did not answer.\n", plural(c.silent.size(), "node"));
  return text;
}

}  // namespace

std::string toText(const Comparison& c) {
  std::string text;
  if (!c.nodes.empty())
    for (Fact fact : kFacts) text += factText(fact, c.groups[static_cast<size_t>(fact)]);
  for (const Silent& s : c.silent) text += fmt::format("{}: {}\n", s.host, s.reason);
  return text + verdict(c);
}

nlohmann::ordered_json toJson(const Comparison& c) {
  nlohmann::ordered_json out = {{"agrees", c.agrees()}, {"nodes", c.nodes.size()}};
  for (Fact fact : kFacts) {
    auto& list = out[name(fact)] = nlohmann::ordered_json::array();
    for (const Group& g : c.groups[static_cast<size_t>(fact)])
      list.push_back({{"value", g.value}, {"hosts", g.hosts}});
  }
  out["silent"] = nlohmann::ordered_json::array();
  for (const Silent& s : c.silent) out["silent"].push_back({{"host", s.host}, {"reason", s.reason}});
  return out;
}

}  // namespace polyrail::cli
