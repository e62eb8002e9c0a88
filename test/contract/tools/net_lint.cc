// SPDX-License-Identifier: Apache-2.0
// net-lint: calls a net plugin as NCCL does and prints what it keeps and what it breaks. Needs no NCCL, no GPU; the
// plugin finds its devices as it always does.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "test/contract/host/library.h"
#include "test/contract/host/limits.h"
#include "test/contract/tools/lint_report.h"

namespace polyrail::contract {
namespace {

constexpr int kUsage = 2;
constexpr int kOldest = 6, kNewest = 12;

struct Options {
  CaseContext context;
  std::vector<std::string> only;
  std::string versions;
  std::vector<std::string> rankVariables;
  bool json = false, list = false, quick = false;
};

// "12,9" or "6-8" or a mixture; empty for what is neither.
std::vector<int> parseVersions(const std::string& text) {
  std::vector<int> versions;
  for (const std::string& part : CLI::detail::split(text, ',')) {
    const size_t dash = part.find('-');
    int from = 0, to = 0;
    if (!CLI::detail::lexical_cast(part.substr(0, dash), from)) return {};
    to = from;
    if (dash != std::string::npos && !CLI::detail::lexical_cast(part.substr(dash + 1), to)) return {};
    if (from > to) std::swap(from, to);
    if (from < kOldest || to > kNewest) return {};
    for (int version = to; version >= from; version--) versions.push_back(version);
  }
  return versions;
}

std::vector<const NetCase*> chosen(const Options& options) {
  std::vector<const NetCase*> all;
  for (const NetCase* one : allNetCases())
    if (options.only.empty() || std::find(options.only.begin(), options.only.end(), one->name) != options.only.end())
      all.push_back(one);
  return all;
}

// Those asked for that the plugin exports; in a child, because loading may do anything.
std::vector<int> exported(const Options& options) {
  std::vector<int> versions;
  const Result<Library> library = Library::open(options.context.plugin);
  if (!library.ok()) fmt::print(stderr, "net-lint: {}\n", library.message());
  for (const int version : parseVersions(options.versions))
    if (library.ok() && library.value().find<const void>(("ncclNetPlugin_v" + std::to_string(version)).c_str()))
      versions.push_back(version);
  if (library.ok() && versions.empty())
    fmt::print(stderr, "net-lint: {} exports none of ncclNetPlugin_v{}\n", options.context.plugin, options.versions);
  return versions;
}

void showProgress(const NetCase& one, int version) {
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[Kv{} {} ", version, one.name);
}

CaseResult runShown(const NetCase& one, const CaseContext& context) {
  showProgress(one, context.abi);
  CaseResult result = runCase(one, context);
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K");
  return result;
}

// A plugin that does not come up is one finding, not one in every case.
void lintVersion(const Options& options, int version, LintReport& report) {
  CaseContext context = options.context;
  context.abi = version, context.share = options.quick ? 8 : 1;
  const NetCase& first = *allNetCases()[0];
  const CaseResult up = runShown(first, context);
  report.add(first, version, up);
  for (const NetCase* one : chosen(options)) {
    if (one->name == std::string(first.name)) continue;
    if (up.verdict == CaseVerdict::kPassed)
      report.add(*one, version, runShown(*one, context));
    else
      report.add(*one, version, {CaseVerdict::kSkipped, "the plugin does not come up", ""});
  }
}

int lint(const Options& options) {
  LintReport report(options.json, options.context.logAll);
  for (const int version : exported(options)) lintVersion(options, version, report);
  return report.empty() ? kUsage : report.end();
}

// "NAME=a,b" for CaseContext; empty name for what is no such thing.
CaseContext::RankVariable parseRankVariable(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) return {};
  return {text.substr(0, equals), CLI::detail::split(text.substr(equals + 1), ',')};
}

bool readRankVariables(Options& options) {
  for (const std::string& text : options.rankVariables) {
    options.context.rankEnvironment.push_back(parseRankVariable(text));
    if (options.context.rankEnvironment.back().name.empty()) return false;
  }
  return true;
}

int run(Options& options) {
  if (options.list) {
    for (const NetCase* one : chosen(options)) fmt::print("{:<22} {}\n", one->name, one->shows);
    return 0;
  }
  if (options.context.plugin.empty() || parseVersions(options.versions).empty()) {
    fmt::print(stderr, "net-lint: {}; see --help\n",
               options.context.plugin.empty() ? "name a plugin" : "--versions takes 6 to 12, as 12,9 or 6-8");
    return kUsage;
  }
  if (!readRankVariables(options)) {
    fmt::print(stderr, "net-lint: --rank-env takes NAME=V1,V2...\n");
    return kUsage;
  }
  return lint(options);
}

void addOptions(CLI::App& app, Options& options, int& patience) {
  app.add_option("plugin", options.context.plugin, "the plugin's .so; with a '/' in it, or found as dlopen finds it");
  app.add_option("--versions", options.versions, "ABI versions to call, as 12,9 or 6-8; those exported are called")
      ->default_str("6-12");
  std::vector<std::string> names;
  for (const NetCase* one : allNetCases()) names.push_back(one->name);
  app.add_option("--case", options.only, "only this case; may be given again; --list names them")
      ->transform(CLI::IsMember(names))
      ->option_text("NAME");
  app.add_option("--ranks", options.context.ranks, "ranks of the rings of threads and of processes")
      ->check(CLI::Range(2, 16))
      ->capture_default_str();
  app.add_option("--rank-env", options.rankVariables,
                 "a variable that differs between ranks that are processes, as EMU_HOST=a,b; may be given again")
      ->option_text("NAME=V1,V2...");
  app.add_option(
         "--fuse", options.context.fused,
         "these devices, as 0,1, fuse into the one that everything goes over; from v9 on, and at most 4 before v12")
      ->delimiter(',')
      ->expected(1, 8);
  app.add_option("--patience", patience,
                 "seconds without anything moving that end a run; a case that takes 8 times as long is killed")
      ->check(CLI::Range(1, 600))
      ->capture_default_str();
  app.add_option("--slow-host", slowHost, "what counts as blocking is so many times as long (250 ms, at a close 3 s)")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_flag("--log", options.context.logAll, "print what the plugin logs in every case, whatever the level");
  app.add_flag("--quick", options.quick, "an eighth of the messages");
  app.add_flag("--json", options.json, "for programs");
  app.add_flag("--list", options.list, "print the cases and what they show");
  app.footer(
      "Each case runs in a process of its own. A failed one is followed by its findings and by what the plugin\n"
      "warned of or printed. Exit status: 0 nothing broken, 1 something broken, 2 the plugin cannot be looked at.\n"
      "Example: net-lint ./libnccl-net-foo.so --versions 12 --case shared-comm");
}

}  // namespace
}  // namespace polyrail::contract

int main(int argc, char** argv) {
  polyrail::contract::Options options;
  options.versions = "6-12";
  int patience = 5;
  CLI::App app(
      "Calls a NCCL net plugin as NCCL does and prints which habits of NCCL it bears and which it does not.");
  polyrail::contract::addOptions(app, options, patience);
  CLI11_PARSE(app, argc, argv);
  options.context.patience = std::chrono::seconds(patience);
  return polyrail::contract::run(options);
}
