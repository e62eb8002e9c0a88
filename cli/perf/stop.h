// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM end a measurement early instead of the process: what was measured until then is checked and
// told. While a StopSignals lives the first of them only notes the wish and the second acts as it did before. One at
// a time in a process; the end that says what is measured has it. stopAsked() may be called by any thread, also where
// there is no StopSignals.
#pragma once

#include <csignal>

namespace polyrail::cli {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  struct sigaction interrupt_, terminate_;  // as they were
};

bool stopAsked();

}  // namespace polyrail::cli
