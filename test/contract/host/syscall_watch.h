// SPDX-License-Identifier: Apache-2.0
// Counts the system calls of one thread and says which of them could have waited: runs a function in a forked child
// whose first thread is traced (ptrace), so nothing is preloaded and nothing in the child knows. A call counts only
// while the child names what it is doing; threads that it starts are not looked at. Not for use while other threads
// run, nor under a sanitizer that traces.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>

#include "common/status.h"

namespace polyrail::contract {

struct SyscallReport {
  std::map<std::string, long> calls;  // system calls by what ran: "connect" -> 12
  // "connect: openat": could have waited for a peer, a disk, another thread or time; how often.
  std::map<std::string, long> blocking;
  int status = -1;  // exit status of the child
};

// `running` is what the child sets to a literal while it does what counts, and to null else; it lies in memory shared
// with the parent. The body's result is the child's exit status. An error: this process may not trace.
Result<SyscallReport> watchSyscalls(const std::function<int(std::atomic<const char*>& running)>& body);

}  // namespace polyrail::contract
