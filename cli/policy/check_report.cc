// SPDX-License-Identifier: Apache-2.0
#include "cli/policy/check_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/policy/lint.h"
#include "cli/policy/machine.h"

namespace polyrail {
namespace {

constexpr const char* kColours[] = {"\x1b[2m", "\x1b[33m", "\x1b[31m"};

std::string paint(Severity severity, bool colour) {
  const std::string word = name(severity);
  return colour ? kColours[static_cast<size_t>(severity)] + word + "\x1b[0m" : word;
}

std::string lineOf(const std::string& path, const LocatedFinding& at, bool colour) {
  const Finding& f = at.finding;
  const std::string place = f.place.text();
  return fmt::format("{}{}: {}: {}{}{}{} [{}]\n", path, at.line ? fmt::format(":{}", at.line) : "",
                     paint(f.severity, colour), place, place.empty() ? "" : ": ", f.message,
                     f.remedy.empty() ? "" : "; " + f.remedy, f.check);
}

std::string plural(size_t n, const char* word) { return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s"); }

std::vector<LocatedFinding> located(const Findings& findings, const std::string& bytes, Severity least) {
  std::vector<LocatedFinding> out;
  const Result<JsonTree> tree = JsonTree::parse(bytes, "");
  for (const Finding& f : findings) {
    if (f.severity < least) continue;
    const bool whole = f.place.text().empty();
    out.push_back({f, whole || !tree.ok() ? 0 : lineOf(tree.value(), f.place)});
  }
  return out;
}

}  // namespace

size_t CheckReport::count(Severity severity) const {
  const auto is = [=](const LocatedFinding& f) { return f.finding.severity == severity; };
  return static_cast<size_t>(std::count_if(findings.begin(), findings.end(), is));
}

CheckReport checkPolicyFile(const std::string& path, const SysRoot& root, Severity least) {
  const Result<std::string> bytes = readPolicyFile(path);
  if (!bytes.ok()) return {.path = path, .error = bytes.message(), .digest = {}, .name = {}, .findings = {}};
  const Result<Policy> policy = parsePolicy(bytes.value(), path);
  if (!policy.ok()) return {.path = path, .error = policy.message(), .digest = {}, .name = {}, .findings = {}};
  Findings findings = checkMachine(policy.value().identity, root);
  const Findings lints = lintPolicy(policy.value());
  findings.insert(findings.end(), lints.begin(), lints.end());
  return {.path = path,
          .error = {},
          .digest = policyDigest(bytes.value()),
          .name = policy.value().name,
          .findings = located(findings, bytes.value(), least)};
}

std::string toText(const CheckReport& r, bool colour) {
  if (!r.error.empty()) return fmt::format("{}: {}\n", paint(Severity::kError, colour), r.error);
  std::string text;
  for (const LocatedFinding& f : r.findings) text += lineOf(r.path, f, colour);
  return text + fmt::format("{}: {}, {}, {}; sha256 {}\n", r.path, plural(r.count(Severity::kError), "error"),
                            plural(r.count(Severity::kWarning), "warning"), plural(r.count(Severity::kNote), "note"),
                            r.digest);
}

nlohmann::ordered_json toJson(const CheckReport& r) {
  nlohmann::ordered_json out = {{"file", r.path}};
  if (!r.error.empty()) {
    out["unusable"] = r.error;
    return out;
  }
  out["name"] = r.name;
  out["sha256"] = r.digest;
  for (Severity s : {Severity::kError, Severity::kWarning, Severity::kNote})
    out[std::string(name(s)) + "s"] = r.count(s);
  out["findings"] = nlohmann::ordered_json::array();
  for (const LocatedFinding& f : r.findings)
    out["findings"].push_back({{"severity", name(f.finding.severity)},
                               {"check", f.finding.check},
                               {"line", f.line},
                               {"place", f.finding.place.text()},
                               {"message", f.finding.message},
                               {"remedy", f.finding.remedy}});
  return out;
}

}  // namespace polyrail
