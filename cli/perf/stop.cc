// SPDX-License-Identifier: Apache-2.0
#include "cli/perf/stop.h"

namespace polyrail::cli {
namespace {

volatile std::sig_atomic_t asked = 0;

void note(int) { asked = 1; }

struct sigaction noteOnce(int signal) {
  struct sigaction action {
  }, before{};
  action.sa_handler = note;
  action.sa_flags = SA_RESETHAND;
  sigaction(signal, &action, &before);
  return before;
}

}  // namespace

StopSignals::StopSignals() {
  asked = 0;
  interrupt_ = noteOnce(SIGINT);
  terminate_ = noteOnce(SIGTERM);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

bool stopAsked() { return asked != 0; }

}  // namespace polyrail::cli
