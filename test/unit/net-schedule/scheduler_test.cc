// SPDX-License-Identifier: Apache-2.0
// The scheduler alone, against servers of known rate: no verbs, no comm, time in a variable.
#include "net/schedule/scheduler.h"

#include <gtest/gtest.h>

#include <deque>
#include <numeric>

namespace polyrail::net {
namespace {

constexpr uint64_t kChunk = 64 << 10;

// One path as a queue with a rate and a latency; the test polls it.
struct Server {
  double rate;
  int64_t latency = 3'000;
  double free = 0;  // when it has served all
  struct Chunk {
    int64_t done;
    uint64_t bytes;
  };
  std::deque<Chunk> queue{};
  uint64_t served = 0;

  void post(uint64_t bytes, int64_t now) {
    free = std::max(free, static_cast<double>(now)) + static_cast<double>(bytes) / rate;
    queue.push_back({static_cast<int64_t>(free) + latency, bytes});
  }
};

struct World {
  Scheduler scheduler;
  std::vector<Server> servers;
  int64_t now = 1'000'000;
  int64_t poll = 500;  // between polls

  World(const std::vector<double>& nominal, const std::vector<double>& real) {
    scheduler.start({nominal.data(), nominal.size()});
    for (const double r : real) servers.push_back({r});
  }
  void complete(bool waiting) {
    for (unsigned p = 0; p < servers.size(); p++)
      while (!servers[p].queue.empty() && servers[p].queue.front().done <= now) {
        scheduler.complete(p, servers[p].queue.front().bytes, now, waiting);
        servers[p].served += servers[p].queue.front().bytes;
        servers[p].queue.pop_front();
      }
  }
  int offer(uint64_t bytes, uint64_t backlog) {
    const int p = scheduler.pick(bytes, backlog, (1u << servers.size()) - 1, now);
    if (p == Scheduler::kNone) return p;
    scheduler.post(static_cast<unsigned>(p), bytes, now);
    servers[static_cast<size_t>(p)].post(bytes, now);
    return p;
  }
  // Keeps `backlog` waiting for `ns`; the bytes served over the sum of rates.
  double saturate(int64_t ns, uint64_t backlog = 4 << 20) {
    const int64_t start = now;
    uint64_t before = 0, after = 0;
    for (const Server& s : servers) before += s.served;
    for (; now < start + ns; now += poll) {
      complete(true);
      while (offer(kChunk, backlog) != Scheduler::kNone) {
      }
    }
    double sum = 0;
    for (const Server& s : servers) after += s.served, sum += s.rate;
    return static_cast<double>(after - before) / (sum * static_cast<double>(ns));
  }
};

TEST(Scheduler, LearnsRatesThatNobodyAnnounced) {
  World w({6, 6, 6, 6}, {6, 6, 6, 1.5});
  w.saturate(5'000'000);
  for (unsigned p = 0; p < 4; p++)
    EXPECT_NEAR(w.scheduler.load(p).rate() / w.servers[p].rate, 1, 0.1) << "path " << p;
  EXPECT_GT(w.saturate(5'000'000), 0.97);
}

TEST(Scheduler, FollowsARateThatFallsAndRises) {
  World w({6, 6}, {6, 6});
  w.saturate(2'000'000);
  w.servers[1].rate = 0.6;
  w.saturate(10'000'000);
  EXPECT_NEAR(w.scheduler.load(1).rate(), 0.6, 0.1);
  w.servers[1].rate = 6;
  w.saturate(10'000'000);
  EXPECT_NEAR(w.scheduler.load(1).rate(), 6, 0.6);
  EXPECT_GT(w.saturate(5'000'000), 0.97);
}

TEST(Scheduler, SlowPollingOpensTheWindow) {
  World w({6, 6}, {6, 6});
  w.poll = 60'000;  // six chunks of each path pass between two polls
  w.saturate(20'000'000);
  EXPECT_GT(w.saturate(20'000'000), 0.95);
}

TEST(Scheduler, WindowStaysBounded) {
  World w({6, 6}, {6, 6});
  for (int i = 0; i < 40; i++) {
    w.saturate(1'000'000);
    for (unsigned p = 0; p < 2; p++) EXPECT_LT(w.scheduler.load(p).inFlight(), int64_t{8} << 20);
  }
}

TEST(Scheduler, LastChunkDoesNotWaitForASlowPath) {
  World w({6, 0.1}, {6, 0.1});
  // The fast path is full; nothing else waits. The slow one would need 650 us, the fast one is free far sooner.
  while (w.scheduler.load(0).hasRoom(kChunk)) {
    w.scheduler.post(0, kChunk, w.now);
    w.servers[0].post(kChunk, w.now);
  }
  EXPECT_EQ(w.offer(kChunk, kChunk), Scheduler::kNone);
  EXPECT_EQ(w.offer(kChunk, 64 << 20), 1) << "with much waiting it helps";
}

TEST(Scheduler, PathThatStallsIsLeftAlone) {
  World w({6, 6}, {6, 6});
  w.saturate(2'000'000);
  w.servers[1].rate = 1e-5;
  w.saturate(2'000'000, kChunk);
  const uint64_t before = w.servers[0].served;
  const size_t held = w.servers[1].queue.size();
  w.saturate(2'000'000, kChunk);
  EXPECT_GT(static_cast<double>(w.servers[0].served - before), 0.9 * 6 * 2'000'000);
  EXPECT_EQ(w.servers[1].queue.size(), held) << "no more chunks go there";
}

TEST(Scheduler, SlowPathHelpsWhenTheFastOneStalls) {
  World w({6, 0.5}, {6, 0.5});
  w.saturate(2'000'000);
  w.servers[0].rate = 1e-5;
  w.saturate(1'000'000, kChunk);
  const uint64_t before = w.servers[1].served;
  w.saturate(5'000'000, kChunk);
  EXPECT_GT(static_cast<double>(w.servers[1].served - before), 0.8 * 0.5 * 5'000'000);
}

TEST(Scheduler, OnlyEligiblePathsAreTaken) {
  Scheduler s;
  const double rates[] = {6, 6, 6};
  s.start(rates);
  EXPECT_EQ(s.pick(kChunk, kChunk, 0b010, 1), 1);
  EXPECT_EQ(s.pick(kChunk, kChunk, 0b100, 1), 2);
  EXPECT_EQ(s.pick(kChunk, kChunk, 0, 1), Scheduler::kNone);
}

TEST(Scheduler, EqualPathsShareEqually) {
  World w({6, 6, 6, 6}, {6, 6, 6, 6});
  w.saturate(5'000'000);
  std::vector<uint64_t> served;
  for (const Server& s : w.servers) served.push_back(s.served);
  const auto [least, most] = std::minmax_element(served.begin(), served.end());
  EXPECT_LT(static_cast<double>(*most - *least), 0.02 * static_cast<double>(*most));
}

// A fast path that takes long to answer must not be passed over for a slow one that is then not worth it: nothing
// would wake the chunk.
TEST(Scheduler, NoChunkWaitsWhenNothingIsUnderWay) {
  World world({10, 1}, {});
  Scheduler& s = world.scheduler;
  constexpr uint64_t kBytes = 16 << 10;
  const auto answer = [&](unsigned path, int64_t after) {
    s.post(path, kBytes, world.now);
    world.now += after;
    s.complete(path, kBytes, world.now, false);
  };
  for (int i = 0; i < 40; i++) answer(0, 150'000), answer(1, 17'000);
  ASSERT_LT(s.load(1).finish(40'000, world.now), s.load(0).finish(40'000, world.now));
  EXPECT_EQ(s.pick(40'000, 40'000, 3, world.now), 0);
}

}  // namespace
}  // namespace polyrail::net
