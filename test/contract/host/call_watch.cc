// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/call_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace polyrail::contract {
namespace {

// The thread's own file, kept open. A forked child has its parent's, which tells of the parent: it opens another.
class SchedStat {
 public:
  ~SchedStat() { shut(); }
  // Time on a processor and time in its queue; 0 when the kernel does not say, so that waiting counts as blocking.
  std::chrono::nanoseconds busy() {
    if (const pid_t thread = gettid(); thread != thread_) open(thread);
    std::array<char, 96> text;
    const ssize_t n = fd_ < 0 ? 0 : pread(fd_, text.data(), text.size(), 0);
    int64_t computed = 0, queued = 0;
    const char* end = text.data() + std::max<ssize_t>(n, 0);
    const auto first = std::from_chars(text.data(), end, computed);
    if (first.ec == std::errc() && first.ptr < end) std::from_chars(first.ptr + 1, end, queued);
    return std::chrono::nanoseconds(computed + queued);
  }

 private:
  void open(pid_t thread) {
    shut();
    fd_ = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    thread_ = thread;
  }
  void shut() {
    if (fd_ >= 0) close(fd_);
  }
  pid_t thread_ = 0;
  int fd_ = -1;
};

}  // namespace

CallWatch::Reading CallWatch::now() {
  thread_local SchedStat stat;
  const std::chrono::nanoseconds wall = std::chrono::steady_clock::now().time_since_epoch();
  return {wall, stat.busy()};
}

std::chrono::milliseconds CallWatch::blocked() const {
  const Reading end = now();
  const auto blocked = (end.wall - start_.wall) - (end.busy - start_.busy);
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::max(std::chrono::nanoseconds(0), blocked));
}

}  // namespace polyrail::contract
