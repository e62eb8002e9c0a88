// SPDX-License-Identifier: Apache-2.0
// A program under test: started with an environment of its own, its output kept, ended for certain. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace polyrail::emu {

constexpr char kRefuseProcessVm[] = "REFUSE_PROCESS_VM=1";

class Process {
 public:
  using Words = std::vector<std::string>;
  // `environment` is added to this process's; what is said here wins. The emulator is found by LD_LIBRARY_PATH. An
  // entry kRefuseProcessVm makes the kernel refuse process_vm_readv to the program, with EPERM.
  Process(const Words& command, const Words& environment);
  ~Process();  // kills it if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Exit status, 128 + signal, or -1 when it was still running after that time (it is then killed).
  int wait(double seconds);
  void kill();
  std::string output() const;  // standard output and error
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int code_ = -1;
  bool ended_ = false;
  int log_;
};

// The environment that makes a program use the emulator, as host `host` of the fabric file (empty: the default one).
Process::Words emulated(const std::string& host, const std::string& fabricFile = "");
// Where the sanitizer's runtime lies that this program was built with; empty without one.
std::string sanitizerRuntime();
// A TCP port that nobody uses now.
int freePort();
// Waits until someone listens on it; false when nobody does in time.
bool waitForListener(int port, double seconds);
// Full path of a program in PATH, or empty.
std::string findProgram(const std::string& name);

}  // namespace polyrail::emu
