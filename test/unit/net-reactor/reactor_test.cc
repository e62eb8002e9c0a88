// SPDX-License-Identifier: Apache-2.0
// The reactor has no thread of its own: whoever turns it serves everything, so that a simulation can.
#include "net/reactor/reactor.h"

#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "net/reactor/control_thread.h"

namespace polyrail::net {
namespace {

struct Counter final : Watcher {
  void ready() override {
    char bytes[16];
    while (recv(descriptor, bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
    served++;
    by = pthread_self();
  }
  int descriptor = -1, served = 0;
  pthread_t by{};
};

struct ReactorTest : testing::Test {
  ReactorTest() {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    counter.descriptor = ends[0];
    reactor = std::move(Reactor::create()).value();
  }
  ~ReactorTest() override { close(ends[0]), close(ends[1]); }
  void poke() { EXPECT_EQ(write(ends[1], "x", 1), 1); }

  int ends[2];
  Counter counter;
  std::unique_ptr<Reactor> reactor;
};

size_t threads() {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

TEST_F(ReactorTest, ServesInTheThreadThatTurnsIt) {
  const size_t before = threads();
  ASSERT_TRUE(reactor->watch(ends[0], &counter).ok());
  reactor->turn(0);
  EXPECT_EQ(counter.served, 0);
  poke();
  EXPECT_EQ(counter.served, 0);
  reactor->turn(0);
  EXPECT_EQ(counter.served, 1);
  EXPECT_TRUE(pthread_equal(counter.by, pthread_self()));
  EXPECT_EQ(threads(), before);
}

TEST_F(ReactorTest, ForgetsForGood) {
  ASSERT_TRUE(reactor->watch(ends[0], &counter).ok());
  poke();
  reactor->forget(ends[0]);
  reactor->turn(0);
  EXPECT_EQ(counter.served, 0);
  ASSERT_TRUE(reactor->watch(ends[0], &counter).ok());
  reactor->turn(0);
  EXPECT_EQ(counter.served, 1);
}

TEST_F(ReactorTest, WakesWhoeverWaits) {
  reactor->wake();
  reactor->turn(-1);  // would wait for ever
  SUCCEED();
}

TEST_F(ReactorTest, TheControlThreadTurnsItAndEnds) {
  std::thread([] {}).join();  // with the first thread comes one of ThreadSanitizer's own, which stays
  const size_t before = threads();
  ASSERT_TRUE(reactor->watch(ends[0], &counter).ok());
  {
    ControlThread thread;
    ASSERT_TRUE(thread.start(*reactor).ok());
    EXPECT_EQ(threads(), before + 1);
    poke();
    for (int waiting = 1; waiting > 0; usleep(1000)) ASSERT_EQ(ioctl(ends[0], FIONREAD, &waiting), 0);
  }
  EXPECT_EQ(counter.served, 1);
  EXPECT_FALSE(pthread_equal(counter.by, pthread_self()));
}

// A repair whose verbs take long.
struct Slow : Watcher {
  void ready() override {}
  int64_t serve(int64_t) override {
    inside = true;
    for (int i = 0; i < 5000 && !released; i++) usleep(1000);
    inside = false;
    return kNever;
  }
  std::atomic<bool> inside{false}, released{false};
};

TEST_F(ReactorTest, NobodyWaitsForAnothersSlowVerbs) {
  int others[2];
  ASSERT_EQ(pipe(others), 0);
  Slow slow;
  ASSERT_TRUE(reactor->watch(ends[0], &slow).ok());
  ControlThread thread;
  ASSERT_TRUE(thread.start(*reactor).ok());
  reactor->wake();
  while (!slow.inside) usleep(100);
  ASSERT_TRUE(reactor->watch(others[0], &counter).ok());
  reactor->forget(others[0]);
  EXPECT_TRUE(slow.inside) << "watch or forget has waited";
  slow.released = true;
  reactor->forget(ends[0]);
  EXPECT_FALSE(slow.inside) << "its own forget does wait";
  thread.stop();
  close(others[0]), close(others[1]);
}

}  // namespace
}  // namespace polyrail::net
