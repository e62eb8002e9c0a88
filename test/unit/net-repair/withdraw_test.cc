// SPDX-License-Identifier: Apache-2.0
// Memory that is deregistered while requests use it, as NCCL's abort does: control must not post it again.
#include <gtest/gtest.h>

#include "test/unit/net-repair/scene.h"

namespace polyrail::net {
namespace {

// One of two rails dies once the memory is gone: a repair would send or grant it again.
void withdrawUnderWay(bool sender, const std::string& error) {
  Scene s(R"([{"at": "5ms", "do": "port_down", "target": "a/emu0"}])", 2);
  ASSERT_TRUE(s.pair.status.ok()) << s.pair.status.message();
  s.runUntil(4 * kMs);
  ASSERT_TRUE(s.stream.ok()) << s.stream.error();
  MemoryKeys& keys = s.stream.keys(sender);
  sender ? s.pair.send->withdraw(keys) : s.pair.recv->withdraw(keys);
  keys.rails = 0;
  s.runUntil(300 * kMs);
  EXPECT_FALSE(s.stream.ok());
  const std::string& why = sender ? s.pair.send->error() : s.pair.recv->error();
  EXPECT_TRUE(why.starts_with(error)) << why;
  EXPECT_EQ(s.control.messages(sender ? MessageType::kFence : MessageType::kFenced), 0u);
}

TEST(Withdraw, TheSendersMemoryUnderWayEndsTheComm) {
  withdrawUnderWay(true, "memory was deregistered while send number ");
}

TEST(Withdraw, TheReceiversMemoryUnderWayEndsTheComm) {
  withdrawUnderWay(false, "memory was deregistered while receive number ");
}

TEST(Withdraw, MemoryThatNoRequestNeedsGoesAtAnyTime) {
  Scene s(R"([{"at": "9ms", "do": "port_down", "target": "a/emu0"}])", 2);
  const MemoryKeys others;
  s.runUntil(4 * kMs);
  s.pair.send->withdraw(others);
  s.pair.recv->withdraw(others);
  s.stream.stopAfter(s.stream.received() + 8);
  s.runUntil(8 * kMs);
  s.pair.send->withdraw(s.stream.keys(true));  // everything that named it is done
  s.pair.recv->withdraw(s.stream.keys(false));
  s.runUntil(20 * kMs);
  EXPECT_TRUE(s.stream.ok()) << s.stream.error();
  EXPECT_EQ(s.pair.send->error() + s.pair.recv->error(), "");
}

}  // namespace
}  // namespace polyrail::net
