// SPDX-License-Identifier: Apache-2.0
// net-lint: calls a net plugin as NCCL does and prints what it keeps and what it breaks. Needs no NCCL, no GPU; the
// plugin finds its devices as it always does.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "test/contract/host/library.h"
#include "test/contract/host/net_cases.h"

namespace polyrail::contract {
namespace {

constexpr int kFailed = 1, kUsage = 2;

struct Options {
  CaseContext context;
  std::vector<std::string> only;
  int oldest = 6;
  bool json = false, list = false;
};

struct Line {
  const NetCase* netCase;
  int abi;
  CaseResult result;
};

const char* word(CaseVerdict verdict) {
  switch (verdict) {
    case CaseVerdict::kPassed: return "keeps";
    case CaseVerdict::kFailed: return "BREAKS";
    default: return "n/a";
  }
}

std::vector<const NetCase*> chosen(const Options& options) {
  std::vector<const NetCase*> all;
  for (const auto& some : {setUpCases(), trafficCases(), endingCases(), lifeCycleCases()})
    for (const NetCase& one : some)
      if (options.only.empty() || std::find(options.only.begin(), options.only.end(), one.name) != options.only.end())
        all.push_back(&one);
  return all;
}

bool exported(const Options& options, int abi) {
  const Result<Library> library = Library::open(options.context.plugin);
  return library.ok() && library.value().find<const void>(("ncclNetPlugin_v" + std::to_string(abi)).c_str());
}

void printLine(const Line& line) {
  fmt::print("{:<22} v{:<3} {:<7} {}\n", line.netCase->name, line.abi, word(line.result.verdict),
             line.result.verdict == CaseVerdict::kSkipped ? line.result.text : line.netCase->shows);
  for (size_t begin = 0, end; line.result.verdict == CaseVerdict::kFailed && begin < line.result.text.size();
       begin = end + 1) {
    end = std::min(line.result.text.find('\n', begin), line.result.text.size());
    fmt::print("{:35}{}\n", "", line.result.text.substr(begin, end - begin));
  }
  fflush(stdout);
}

int report(const std::vector<Line>& lines, bool json) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  size_t failed = 0, skipped = 0;
  for (const Line& line : lines) {
    failed += line.result.verdict == CaseVerdict::kFailed;
    skipped += line.result.verdict == CaseVerdict::kSkipped;
    all.push_back({{"case", line.netCase->name},
                   {"abi", line.abi},
                   {"verdict", word(line.result.verdict)},
                   {"text", line.result.text}});
  }
  if (json)
    fmt::print("{}\n", all.dump(2));
  else
    fmt::print("{} kept, {} broken, {} not applicable\n", lines.size() - failed - skipped, failed, skipped);
  return failed == 0 ? 0 : kFailed;
}

int run(Options& options) {
  const std::vector<const NetCase*> cases = chosen(options);
  if (options.list) {
    for (const NetCase* one : cases) fmt::print("{:<22} {}\n", one->name, one->shows);
    return 0;
  }
  if (const Result<Library> library = Library::open(options.context.plugin); !library.ok()) {
    fmt::print(stderr, "net-lint: {}\n", library.message());
    return kUsage;
  }
  std::vector<Line> lines;
  for (int abi = options.context.abi; abi >= options.oldest; abi--) {
    if (!exported(options, abi)) continue;
    for (const NetCase* one : cases) {
      CaseContext context = options.context;
      context.abi = abi;
      lines.push_back({one, abi, runCase(*one, context)});
      if (!options.json) printLine(lines.back());
    }
  }
  if (lines.empty())
    fmt::print(stderr, "net-lint: the plugin exports no ncclNetPlugin_v{} to _v6\n", options.context.abi);
  return lines.empty() ? kUsage : report(lines, options.json);
}

}  // namespace
}  // namespace polyrail::contract

int main(int argc, char** argv) {
  polyrail::contract::Options options;
  CLI::App app(
      "Calls a NCCL net plugin as NCCL does and prints which habits it bears and which it breaks.\n"
      "Exit status: 0 all kept, 1 something broken, 2 the plugin cannot be looked at.");
  app.add_option("plugin", options.context.plugin, "the plugin's .so; with a '/' in it, or found as dlopen finds it");
  app.add_option("--abi", options.context.abi, "newest ABI version to look at")
      ->check(CLI::Range(6, 12))
      ->capture_default_str();
  app.add_option("--oldest", options.oldest, "oldest ABI version to look at")
      ->check(CLI::Range(6, 12))
      ->capture_default_str();
  app.add_option("--ranks", options.context.ranks, "ranks of the rings")
      ->check(CLI::Range(2, 16))
      ->capture_default_str();
  app.add_option("--case", options.only, "only these cases; may be given again");
  int patience = 5;
  app.add_option("--patience", patience, "seconds without anything moving that end a run")
      ->check(CLI::Range(1, 600))
      ->capture_default_str();
  app.add_flag("--json", options.json, "for programs");
  app.add_flag("--list", options.list, "print the cases and what they show");
  CLI11_PARSE(app, argc, argv);
  options.context.patience = std::chrono::seconds(patience);
  if (options.context.plugin.empty() && !options.list) {
    fmt::print(stderr, "net-lint: name a plugin; see --help\n");
    return 2;
  }
  return polyrail::contract::run(options);
}
