// SPDX-License-Identifier: Apache-2.0
// A process of a job, for whoever looks at it: it moves messages to itself over two emulated rails that are one
// device, through the plugin that ships, says when so many have come, and goes on slowly if it should. Killed with
// the object.
#pragma once

#include <sys/types.h>

#include <string>

namespace polyrail::contract {

struct JobPlan {
  std::string telemetry;  // folder
  std::string faults;     // script of the emulated verbs; empty: none
  size_t messages = 16, size = 1 << 20;
  bool goOn = false;
};

class Job {
 public:
  explicit Job(const JobPlan& plan);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Waits until all messages have come. False, and a failure of the test, when they do not.
  bool ready();
  pid_t pid() const { return child_; }
  void end();

 private:
  pid_t child_ = -1;
  int told_ = -1;
};

}  // namespace polyrail::contract
