// SPDX-License-Identifier: Apache-2.0
// What isend, irecv and test must not do: allocate, lock, or call the kernel (which a log line would).
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/unit/net-data/null_pair.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS 0
#else
#define COUNTS 1
#endif

namespace {

long allocations, locks;

}  // namespace

#if COUNTS
extern "C" {
void* __libc_malloc(size_t);
void* malloc(size_t size) {
  allocations++;
  return __libc_malloc(size);
}
int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static const auto real = reinterpret_cast<int (*)(pthread_mutex_t*)>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  locks++;
  return real(mutex);
}
}
#endif

namespace polyrail::net {
namespace {

struct Case {
  unsigned rails;
  size_t size;
};
constexpr Case kCases[] = {{1, 8}, {4, 8}, {4, 4096}, {1, 3 << 20}, {4, 3 << 20}};

TEST(HotPath, NeitherAllocatesNorLocks) {
  if (!COUNTS) GTEST_SKIP() << "the sanitizer has its own malloc";
  for (const Case& c : kCases) {
    NullPair pair(c.rails, c.size);
    ASSERT_TRUE(pair.move(32, 8, c.size));
    const long allocationsBefore = allocations, locksBefore = locks;
    EXPECT_TRUE(pair.move(c.size > 1 << 20 ? 64 : 640, 8, c.size));
    EXPECT_EQ(allocations - allocationsBefore, 0) << c.rails << " rails, " << c.size << " bytes";
    EXPECT_EQ(locks - locksBefore, 0);
  }
}

// In strict mode every system call but read, write and exit kills the process.
TEST(HotPath, MakesNoSystemCall) {
  if (!COUNTS) GTEST_SKIP() << "the sanitizer makes system calls of its own";
  for (const Case& c : kCases) {
    NullPair pair(c.rails, c.size);
    ASSERT_TRUE(pair.move(32, 8, c.size));
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const int forbidden = prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
      const bool moved = forbidden == 0 && pair.move(c.size > 1 << 20 ? 64 : 640, 8, c.size);
      syscall(SYS_exit, forbidden ? 77 : !moved);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no seccomp here";
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
        << c.rails << " rails, " << c.size << " bytes: status " << status;
  }
}

}  // namespace
}  // namespace polyrail::net
