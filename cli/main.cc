// SPDX-License-Identifier: Apache-2.0
// The command: parses the line, runs one verb, returns its exit code.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "cli/output/suggest.h"
#include "cli/verb.h"

namespace {

using polyrail::cli::Verb;

int unknownVerb(const std::string& word) {
  std::vector<std::string> names = {"help"};
  for (const Verb& v : polyrail::cli::verbs()) names.push_back(v.name);
  fmt::print(stderr, "polyrail: there is no verb '{}'{}; `polyrail help` lists them\n", word,
             polyrail::cli::didYouMean(word, names));
  return polyrail::cli::kExitUsage;
}

bool isVerb(const std::string& word) {
  for (const Verb& v : polyrail::cli::verbs())
    if (word == v.name) return true;
  return word == "help";
}

// `polyrail help VERB` is `polyrail VERB --help`.
std::vector<std::string> arguments(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) return {"--help"};
  if (words[0] != "help") return words;
  if (words.size() == 1) return {"--help"};
  return {words[1], "--help"};
}

int report(CLI::App& app, const CLI::ParseError& error) {
  const int code = app.exit(error);
  return code == 0 ? polyrail::cli::kExitOk : polyrail::cli::kExitUsage;
}

int run(int argc, char** argv) {
  CLI::App app("polyrail: diagnose, design, tune and verify the network of NCCL jobs", "polyrail");
  app.set_version_flag("--version", "polyrail " POLYRAIL_VERSION);
  app.require_subcommand(1);
  app.footer(
      "`polyrail help VERB` says more.\n"
      "Exit codes: 0 done, 1 done and the answer is not good, 2 wrong usage, 3 bad input, 4 failure.");
  int exitCode = polyrail::cli::kExitOk;
  for (const Verb& v : polyrail::cli::verbs()) v.attach(*app.add_subcommand(v.name, v.summary), exitCode);

  std::vector<std::string> words = arguments(argc, argv);
  if (words[0][0] != '-' && !isVerb(words[0])) return unknownVerb(words[0]);
  std::reverse(words.begin(), words.end());  // CLI11 takes them last first
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return report(app, error);
  }
  return exitCode;
}

// A result that did not reach its file is none: a full disk is found only as the buffer goes out.
int written(int exitCode) {
  std::cout.flush();  // CLI11's help and version
  if (std::fflush(stdout) == 0 && !std::ferror(stdout) && std::cout) return exitCode;
  fmt::print(stderr, "polyrail: cannot write the output: {}\n", std::strerror(errno));
  return polyrail::cli::kExitFailure;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return written(run(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "polyrail: {}\n", error.what());
    return polyrail::cli::kExitFailure;
  }
}
