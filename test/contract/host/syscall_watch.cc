// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/syscall_watch.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <new>

namespace polyrail::contract {
namespace {

// How a system call may wait. What is not in the table may, too; kMay is there to be named.
enum class Waits { kNever, kUnlessNonBlocking, kFutex, kMay };
struct Known {
  long number;
  const char* name;
  Waits waits;
  int flagsArgument = -1;  // where MSG_DONTWAIT may stand
};
#define CALL(name, ...) \
  { SYS_##name, #name, __VA_ARGS__ }
constexpr Known kKnown[] = {CALL(socket, Waits::kNever),
                            CALL(setsockopt, Waits::kNever),
                            CALL(getsockopt, Waits::kNever),
                            CALL(getsockname, Waits::kNever),
                            CALL(getpeername, Waits::kNever),
                            CALL(bind, Waits::kNever),
                            CALL(listen, Waits::kNever),
                            CALL(shutdown, Waits::kNever),
                            CALL(close, Waits::kNever),  // without SO_LINGER
                            CALL(fcntl, Waits::kNever),
                            CALL(epoll_ctl, Waits::kNever),
                            CALL(eventfd2, Waits::kNever),
                            CALL(getrandom, Waits::kNever),  // after boot
                            CALL(clock_gettime, Waits::kNever),
                            CALL(getpid, Waits::kNever),
                            CALL(gettid, Waits::kNever),
                            CALL(brk, Waits::kNever),
                            CALL(mmap, Waits::kNever),
                            CALL(munmap, Waits::kNever),
                            CALL(mremap, Waits::kNever),
                            CALL(mprotect, Waits::kNever),
                            CALL(madvise, Waits::kNever),
                            CALL(rt_sigprocmask, Waits::kNever),
                            CALL(connect, Waits::kUnlessNonBlocking),
                            CALL(accept, Waits::kUnlessNonBlocking),
                            CALL(accept4, Waits::kUnlessNonBlocking),
                            CALL(read, Waits::kUnlessNonBlocking),
                            CALL(write, Waits::kUnlessNonBlocking),
                            CALL(sendto, Waits::kUnlessNonBlocking, 3),
                            CALL(recvfrom, Waits::kUnlessNonBlocking, 3),
                            CALL(sendmsg, Waits::kUnlessNonBlocking, 2),
                            CALL(recvmsg, Waits::kUnlessNonBlocking, 2),
                            CALL(futex, Waits::kFutex),
                            CALL(openat, Waits::kMay),
                            CALL(getdents64, Waits::kMay),
                            CALL(ppoll, Waits::kMay),
                            CALL(epoll_pwait, Waits::kMay),
                            CALL(nanosleep, Waits::kMay),
                            CALL(clock_nanosleep, Waits::kMay),
                            CALL(sched_yield, Waits::kMay),
                            CALL(wait4, Waits::kMay)};
#undef CALL

const Known* known(uint64_t number) {
  const auto* found = std::find_if(std::begin(kKnown), std::end(kKnown),
                                   [&](const Known& k) { return static_cast<uint64_t>(k.number) == number; });
  return found == std::end(kKnown) ? nullptr : found;
}

bool isNonBlocking(pid_t process, uint64_t descriptor) {
  std::ifstream info("/proc/" + std::to_string(process) + "/fdinfo/" + std::to_string(descriptor));
  std::string word;
  while (info >> word)
    if (word == "flags:" && info >> word) return std::stoul(word, nullptr, 8) & O_NONBLOCK;
  return false;
}

bool mayWait(pid_t process, const Known* call, const __ptrace_syscall_info& info) {
  if (!call) return true;
  const auto& arguments = info.entry.args;
  switch (call->waits) {
    case Waits::kNever: return false;
    case Waits::kMay: return true;
    case Waits::kFutex: {
      const int operation = static_cast<int>(arguments[1]) & FUTEX_CMD_MASK;
      return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET || operation == FUTEX_LOCK_PI;
    }
    case Waits::kUnlessNonBlocking: break;
  }
  const bool flagged = call->flagsArgument >= 0 && arguments[call->flagsArgument] & MSG_DONTWAIT;
  return !flagged && !isNonBlocking(process, arguments[0]);
}

struct Board {
  std::atomic<const char*> running{nullptr};
};

// False when the child has ended; `status` is then waitpid's.
bool nextStop(pid_t child, int signal, int* status) {
  if (ptrace(PTRACE_SYSCALL, child, nullptr, static_cast<long>(signal)) != 0) return false;
  return waitpid(child, status, 0) == child && WIFSTOPPED(*status);
}

void note(pid_t child, const Board& board, SyscallReport* report) {
  __ptrace_syscall_info info{};
  if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) <= 0) return;
  const char* running = board.running;
  if (info.op != PTRACE_SYSCALL_INFO_ENTRY || !running) return;
  report->calls[running]++;
  const Known* call = known(info.entry.nr);
  if (!mayWait(child, call, info)) return;
  const std::string name = call ? call->name : "system call " + std::to_string(info.entry.nr);
  report->blocking[std::string(running) + ": " + name]++;
}

void follow(pid_t child, const Board& board, SyscallReport* report) {
  int status = 0, signal = 0;
  while (nextStop(child, signal, &status)) {
    signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
      note(child, board, report);
      signal = 0;
    }
  }
  report->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<SyscallReport> watchSyscalls(const std::function<int(std::atomic<const char*>& running)>& body) {
  void* shared = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return Status::error(std::strerror(errno));
  Board& board = *new (shared) Board;
  const pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(77);
    raise(SIGSTOP);
    _exit(body(board.running));
  }
  int status = 0;
  SyscallReport report;
  Result<SyscallReport> result = Status::error("this process may not trace another (ptrace)");
  if (waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
      ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) == 0) {
    follow(child, board, &report);
    result = report;
  }
  munmap(shared, sizeof(Board));
  return result;
}

}  // namespace polyrail::contract
