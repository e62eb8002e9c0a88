// SPDX-License-Identifier: Apache-2.0
// Runs one shell command line with its output in a file. Its process group is gone when this returns, however it
// ended: a benchmark that hangs must not meet the next one. One thread.
#pragma once

#include <string>
#include <vector>

namespace polyrail::sweep {

struct RunEnd {
  int status = -1;     // of the shell; 128 + the signal's number
  double seconds = 0;  // wall time
  bool timedOut = false, interrupted = false;
  std::string failure;  // why it could not be started; then nothing else is set
};

// The file is made anew and begins with `head`; it is on disk when this returns. At the limit the group gets SIGTERM,
// two seconds, SIGKILL. `unset` are variables that it does not inherit. Standard input is empty.
RunEnd runLogged(const std::string& line, const std::string& file, const std::string& head, double seconds,
                 const std::vector<std::string>& unset);

// While one lives, SIGINT, SIGTERM and SIGHUP end the run in progress instead of the process. One at a time.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  static bool interrupted();
};

}  // namespace polyrail::sweep
