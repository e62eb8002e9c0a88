// SPDX-License-Identifier: Apache-2.0
// Runs shell command lines side by side and collects what they print. Every child is in a process group of its own
// and is gone when this returns, also those that hang. One thread, no signals handled.
#pragma once

#include <string>
#include <vector>

namespace polyrail::cli {

struct Outcome {
  std::string output, errors;  // at most kMaxOutput bytes each; the rest is dropped
  int exitStatus = -1;         // of the shell; 128 + the signal's number
  bool timedOut = false;
  std::string failure;  // why it could not be started; then nothing else is set
};

inline constexpr size_t kMaxOutput = 16u << 20;

struct RunLimits {
  size_t atOnce = 32;
  double seconds = 60;  // for each
};

// In the order of `lines`. Standard input is empty.
std::vector<Outcome> runCommands(const std::vector<std::string>& lines, const RunLimits& limits);

}  // namespace polyrail::cli
