// SPDX-License-Identifier: Apache-2.0
// Runs a program, or a function in a forked child, with a deadline, and returns what it printed: for what must not
// share this process, such as a crash, a hang, or another rank's environment. The child and what it started are
// killed, by their own process group, when the deadline passes. Not for use while other threads run.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace polyrail::contract {

struct ChildResult {
  int status = -1;  // exit status; 128 + signal when killed by one
  bool timedOut = false;
  std::string output;  // what it wrote to its standard output, and errors
  bool ok() const { return status == 0 && !timedOut; }
};

// The function's text goes to the output; the child then exits with 0 without running destructors.
ChildResult runInFork(const std::function<std::string()>& body, std::chrono::seconds limit);

struct Program {
  std::vector<std::string> arguments;    // the first is the file
  std::vector<std::string> environment;  // all of it: NAME=value
  std::string directory;                 // empty: this one's
};
ChildResult runProgram(const Program& program, std::chrono::seconds limit);

}  // namespace polyrail::contract
