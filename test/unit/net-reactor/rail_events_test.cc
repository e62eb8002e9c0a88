// SPDX-License-Identifier: Apache-2.0
// Asynchronous events in virtual time: the simulation raises them, the test turns the watcher, nobody waits.
#include "net/plugin/rail_events.h"

#include <gtest/gtest.h>

#include <cstdarg>

#include "test/unit/net-data/rig.h"

namespace polyrail::net {
namespace {

std::string gSaid;

void logger(nccl::LogLevel, unsigned long, const char*, int, const char* format, ...) {
  char line[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  gSaid += std::string(line) + "\n";
}

TEST(RailEventsTest, APortThatGoesAndComesIsSaidAndLookedAtAgain) {
  RigOptions options;
  options.faults = faultList(R"([{"at": "1ms", "do": "port_down", "target": "a/emu0", "for": "1ms"}])");
  Rig rig(options);
  rig.on(true);
  gSaid.clear();
  RailEvents events(OpenDevice::open(emu::emulatedVerbs(), "emu0").value(), Log(logger, "NET/polyrail"));
  events.ready();
  EXPECT_EQ(gSaid, "");
  rig.sim().run(1'500'000);
  events.ready();
  EXPECT_NE(gSaid.find("emu0:1: "), std::string::npos) << gSaid;
  EXPECT_NE(gSaid.find("cable"), std::string::npos) << gSaid;
  EXPECT_FALSE(events.takeStale());
  rig.sim().run(1'000'000);
  events.ready();
  EXPECT_TRUE(events.takeStale());
  EXPECT_FALSE(events.takeStale());
  EXPECT_FALSE(events.lost());
}

TEST(RailEventsTest, ANicThatIsGoneIsLost) {
  RigOptions options;
  options.faults = faultList(R"([{"at": "1ms", "do": "device_removal", "target": "a/emu0"}])");
  Rig rig(options);
  rig.on(true);
  RailEvents events(OpenDevice::open(emu::emulatedVerbs(), "emu0").value(), Log(logger, "NET/polyrail"));
  rig.sim().run(2'000'000);
  events.ready();
  EXPECT_TRUE(events.lost());
}

}  // namespace
}  // namespace polyrail::net
