// SPDX-License-Identifier: Apache-2.0
// What the flight recorders of both ends tell of a rail that dies and comes back, and of one that ends the comm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/telemetry/names.h"
#include "test/unit/net-repair/scene.h"

namespace polyrail::net {
namespace {

using testing::ElementsAre;

// "failed:1" for each event of a path, "fence" for those of none.
std::vector<std::string> story(const Comm& comm) {
  std::vector<std::string> words;
  int64_t before = 0;
  for (const EventRecord& e : comm.recorder().last()) {
    EXPECT_GE(e.time, before);
    before = e.time;
    words.push_back(nameOf(e.kind));
    if (e.path != kNoPathOfEvent) words.back() += ":" + std::to_string(e.path);
  }
  return words;
}

TEST(FlightRecorder, ToldByBothEndsOfARailThatComesBack) {
  Scene s(R"([{"at": "5ms", "do": "port_down", "target": "a/emu1", "for": "100ms"}])");
  s.runUntil(400 * kMs);
  ASSERT_TRUE(s.stream.ok()) << s.stream.error();
  EXPECT_THAT(story(*s.pair.send), ElementsAre("opened", "failed:1", "stopped:1", "fence", "fenced", "gave-up:1",
                                               "made:1", "probe:1", "live:1"));
  EXPECT_THAT(story(*s.pair.recv),
              ElementsAre("opened", "fence", "failed:1", "stopped:1", "fenced", "made:1", "probe:1", "live:1"));
  const std::vector<EventRecord> anew = s.pair.send->recorder().last(3);
  EXPECT_EQ(anew[0].value, anew[2].value);  // the queue pair that was made is the one that is live
}

TEST(FlightRecorder, ToldWhereGrantsGoWhenTheirPathDies) {
  Scene s(R"([{"at": "5ms", "do": "port_down", "target": "b/emu0"}])");
  s.runUntil(40 * kMs);
  EXPECT_THAT(story(*s.pair.recv), testing::Contains("grants:1"));
  EXPECT_THAT(story(*s.pair.send), testing::Contains("grants:1"));
}

TEST(FlightRecorder, ToldOfTheEnd) {
  Scene s(R"([{"at": "5ms", "do": "port_down", "target": "a/emu0"}])", 1, 1 << 20, {.noPath = 100 * kMs});
  s.runUntil(1000 * kMs);
  EXPECT_FALSE(s.stream.ok());
  const std::vector<EventRecord> last = s.pair.send->recorder().last(1);
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(last[0].kind, EventKind::kEnded);
  EXPECT_EQ(last[0].value, static_cast<uint64_t>(Outcome::kRemoteError));
}

}  // namespace
}  // namespace polyrail::net
