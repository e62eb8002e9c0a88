// SPDX-License-Identifier: Apache-2.0
#include "test/unit/emu-programs/process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

extern char** environ;

namespace polyrail::emu {
namespace {

using Clock = std::chrono::steady_clock;

Process::Words merged(const Process::Words& extra) {
  std::map<std::string, std::string> all;
  for (char** e = environ; *e; e++) {
    const std::string entry = *e;
    all[entry.substr(0, entry.find('='))] = entry;
  }
  for (const std::string& entry : extra) all[entry.substr(0, entry.find('='))] = entry;
  Process::Words out;
  for (const auto& [name, entry] : all) out.push_back(entry);
  return out;
}

std::vector<char*> pointers(Process::Words& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

// A seccomp filter, as a container's runtime may have one: process_vm_readv and _writev return EPERM.
void refuseProcessVm() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {std::size(program), program};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) _exit(126);
}

bool listens(const char* table, int port) {
  char wanted[16];
  std::snprintf(wanted, sizeof wanted, ":%04X ", port);
  std::ifstream in(table);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string number, local, remote, state;
    fields >> number >> local >> remote >> state;
    if (state == "0A" && (local + " ").ends_with(wanted)) return true;
  }
  return false;
}

// Appending: a memfd's file offset has no lock (fs/file_table.c gives one to files that open() made), so that of two
// processes that write at once one would overwrite the other's line.
int outputFile() {
  const int fd = memfd_create("output", MFD_CLOEXEC);
  fcntl(fd, F_SETFL, O_APPEND);
  return fd;
}

}  // namespace

Process::Process(const Words& command, const Words& environment) : log_(outputFile()) {
  Words arguments = command, variables = merged(environment);
  const std::vector<char*> argv = pointers(arguments), envp = pointers(variables);
  pid_ = fork();
  if (pid_ != 0) return;
  dup2(log_, 1);
  dup2(log_, 2);
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, 0);
  if (std::find(environment.begin(), environment.end(), kRefuseProcessVm) != environment.end()) refuseProcessVm();
  execvpe(argv[0], argv.data(), envp.data());
  _exit(127);
}

Process::~Process() {
  kill();
  close(log_);
}

void Process::kill() {
  if (ended_ || pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  wait(10);
}

int Process::wait(double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (!ended_) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      ended_ = true;
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    } else if (Clock::now() > end) {
      ::kill(pid_, SIGKILL);
      waitpid(pid_, &status, 0);
      ended_ = true;
    } else {
      usleep(2000);
    }
  }
  return code_;
}

std::string Process::output() const {
  std::string text;
  char part[4096];
  ssize_t got;
  for (off_t at = 0; (got = pread(log_, part, sizeof part, at)) > 0; at += got)
    text.append(part, static_cast<size_t>(got));
  return text;
}

// The sanitizer's runtime, if this build has one: a program that was built without it needs it loaded first.
std::string sanitizerRuntime() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t path = line.find('/');
    if (path != std::string::npos && std::regex_search(line, std::regex("/lib[at]san\\.so")))
      return line.substr(path);
  }
  return "";
}

Process::Words emulated(const std::string& host, const std::string& fabricFile) {
  const char* build = std::getenv("POLYRAIL_BUILD");
  const std::string folder = std::string(build ? build : ".") + "/emu";
  Process::Words words = {"LD_LIBRARY_PATH=" + folder, "EMU_HOST=" + host, "EMU_FABRIC=" + fabricFile,
                          "EMU_SESSION=" + std::to_string(getpid())};
  if (const std::string runtime = sanitizerRuntime(); !runtime.empty()) {
    words.push_back("LD_PRELOAD=" + runtime);
    words.push_back("ASAN_OPTIONS=detect_leaks=0:detect_odr_violation=0");  // the program's leaks are its own
  }
  return words;
}

int freePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t size = sizeof address;
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0) perror("bind");
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  close(fd);
  return ntohs(address.sin_port);
}

bool waitForListener(int port, double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    if (listens("/proc/net/tcp", port) || listens("/proc/net/tcp6", port)) return true;
    usleep(5000);
  }
  return false;
}

std::string findProgram(const std::string& name) {
  std::istringstream path(std::getenv("PATH") ? std::getenv("PATH") : "/usr/bin");
  for (std::string folder; std::getline(path, folder, ':');)
    if (access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
  return "";
}

}  // namespace polyrail::emu
