// SPDX-License-Identifier: Apache-2.0
// Where frames go. On a terminal: its other screen, without echo, given back on the way out, also after SIGINT,
// SIGTERM and while stopped by ^Z. Anywhere else (a pipe, a file, a terminal that cannot): one frame after the other.
// While one exists those signals are blocked in this thread and read here; one at a time, in the main thread, before
// others are made.
#pragma once

#include <signal.h>
#include <termios.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/status.h"

namespace polyrail::cli {

// Cuts to `columns` what people see of a line: escapes take no room and UTF-8 characters one column; a cut line ends
// its colour.
std::string clipped(const std::string& line, size_t columns);

class Screen {
 public:
  enum class Wake { kTime, kResize, kEnd };

  // `live`: takes the terminal over if standard output is one that can move its cursor and is ours at the moment.
  explicit Screen(bool live);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  bool live() const { return live_; }
  // Columns and lines; 0: without limit.
  struct Size {
    size_t columns = 0, lines = 0;
  };
  Size size() const;

  // The error says why standard output takes no more.
  Status show(const std::vector<std::string>& lines);
  // Until `deadlineNs` of CLOCK_MONOTONIC, or the user has resized the terminal or wants to end: q, ^C, SIGTERM.
  Wake wait(int64_t deadlineNs);

 private:
  void enter();
  void leave();
  void stop();
  Wake onSignal();
  Wake onKey();

  bool live_ = false, keys_ = false;
  int signals_ = -1;
  sigset_t formerMask_{};
  termios formerTerminal_{};
};

}  // namespace polyrail::cli
