// SPDX-License-Identifier: Apache-2.0
// One verb of the command: its name, one line for the list, and a function that declares its options on a CLI11
// subcommand and sets the callback. The table of all verbs is in verbs.cc. Exit codes are the same for every verb.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

namespace polyrail::cli {

enum ExitCode : int {
  kExitOk = 0,
  kExitFinding = 1,   // the command worked and its answer is "not good": lint errors, a bar that falls short
  kExitUsage = 2,     // the command line is wrong
  kExitBadInput = 3,  // a file could not be read or understood
  kExitFailure = 4,   // anything else: disk full, a launch that failed
};

struct Verb {
  const char* name;
  const char* summary;
  // `exitCode` outlives the callback; the callback sets it. Errors go to standard error, results to standard output.
  void (*attach)(CLI::App& verb, int& exitCode);
};

const std::vector<Verb>& verbs();

// Prints "polyrail VERB: MESSAGE" to standard error and returns `code`.
int fail(const char* verb, const std::string& message, ExitCode code);

}  // namespace polyrail::cli
