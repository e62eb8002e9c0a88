// SPDX-License-Identifier: Apache-2.0
// getCollInfo and getChunkSize of the built plugin ask nothing of anybody: no memory, no lock, no log, no system
// call.
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <mutex>

#include "test/bench/rule_sets.h"
#include "test/bench/tuner_copy.h"
#include "test/unit/tuner-plugin/interposed.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define POLYRAIL_SANITIZED 1
#else
#define POLYRAIL_SANITIZED 0
#endif

namespace polyrail {
namespace {

constexpr int kAllReduce = static_cast<int>(nccl::Collective::kAllReduce);

int gLogged = 0;
void countLines(nccl::LogLevel, unsigned long, const char*, int, const char*, ...) { gLogged++; }

// Hits, misses, fallbacks, guarded and odd calls in turn.
void callOften(const nccl::TunerV6& tuner, void* context, size_t calls) {
  for (size_t i = 0; i < calls; i++) {
    float costs[7][3];
    std::copy(&test::kCosts[0][0], &test::kCosts[0][0] + 21, &costs[0][0]);
    if (i % 7 == 0) costs[1][i % 3] = -1;
    if (i % 11 == 0) costs[1][i % 3] = 1e9f;
    int channels = 0;
    size_t chunk = 1 << 20;
    const int collective = i % 5 == 0 ? static_cast<int>(i % 17) - 1 : kAllReduce;
    tuner.getCollInfo(context, collective, i * 2654435761u % (uint64_t{1} << 36), static_cast<int>(i % 4),
                      reinterpret_cast<float**>(costs), i % 13 ? 7 : 6, 3, i % 2, &channels);
    tuner.getChunkSize(context, collective, i << 12, static_cast<int>(i % 7), static_cast<int>(i % 3), 1, &chunk);
  }
}

// Rules with one choice and with several, with and without conditions and chunks.
Policy variedPolicy() {
  Policy policy = test::policyOf(test::edges(500, test::Placing::kLog));
  policy.options.uniformApplication = true;
  std::vector<Rule>& rules = policy.tables[0].rules;
  for (size_t i = 0; i < rules.size(); i++) {
    if (i % 3 == 0) rules[i].choices.push_back({nccl::Algorithm::kTree, nccl::Protocol::kLl, 4, 64, std::nullopt});
    if (i % 4 == 0) rules[i].pipeOps = Range{1, 2};
    if (i % 5 == 0) rules[i].regBuff = true;
  }
  return policy;
}

TEST(HotPath, AllocatesLocksAndLogsNothing) {
  if (POLYRAIL_SANITIZED) GTEST_SKIP() << "sanitizers bring their own malloc and locks";
  const test::TunerCopy copy(variedPolicy());
  void* context = copy.open(16, 2, countLines);
  const int logged = gLogged;
  test::Calls calls;
  {
    const test::Counted counted;
    callOften(copy.v6(), context, 100'000);
    calls = counted.calls();
  }
  EXPECT_EQ(calls.allocations, 0u);
  EXPECT_EQ(calls.frees, 0u);
  EXPECT_EQ(calls.locks, 0u);
  EXPECT_EQ(gLogged, logged);
  EXPECT_GT(gLogged, 0) << "the logger was never reached, so this proves nothing";
  copy.v6().finalize(context);
}

TEST(HotPath, TheCountersSeeWhatInitDoes) {
  if (POLYRAIL_SANITIZED) GTEST_SKIP() << "sanitizers bring their own malloc and locks";
  const test::TunerCopy copy(variedPolicy());
  const test::Counted counted;
  copy.v6().finalize(copy.open());
  EXPECT_GT(counted.calls().allocations, 0u);
  EXPECT_GT(counted.calls().frees, 0u);
  EXPECT_GT(counted.calls().locks, 0u);
}

// Runs `body` in a child under seccomp's strict mode, in which every system call but read, write, exit and sigreturn
// kills. True when the child lived.
template <typename Body>
bool livesWithoutSystemCalls(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) _exit(77);
    body();
    syscall(SYS_exit, 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) throw std::runtime_error("no seccomp here");
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(HotPath, MakesNoSystemCall) {
  if (POLYRAIL_SANITIZED) GTEST_SKIP() << "a sanitizer's runtime makes system calls of its own";
  const test::TunerCopy copy(variedPolicy());
  void* context = copy.open();
  const nccl::TunerV6& tuner = copy.v6();
  try {
    ASSERT_FALSE(livesWithoutSystemCalls([] { getppid(); })) << "the trap does not catch";
    EXPECT_TRUE(livesWithoutSystemCalls([&] { callOften(tuner, context, 100'000); }));
  } catch (const std::runtime_error& e) {
    GTEST_SKIP() << e.what();
  }
  tuner.finalize(context);
}

}  // namespace
}  // namespace polyrail
