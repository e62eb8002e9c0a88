// SPDX-License-Identifier: Apache-2.0
// What fatal events of a NIC do to the plugin that ships, on null NICs and without failover: they end the connections
// they are about, with NCCL's next call, and no others; or none when the user says so. With failover a connection
// goes by what its completions and rails say; null NICs cannot be repaired.
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <cstdlib>

#include "test/null-verbs/plugin_pair.h"

namespace polyrail::contract {
namespace {

constexpr size_t kSize = 4096;

void open(PluginPair& pair) {
  const Status connected = pair.connect();
  ASSERT_TRUE(connected.ok()) << connected.message();
  const Status enrolled = pair.enroll(kSize);
  ASSERT_TRUE(enrolled.ok()) << enrolled.message();
  ASSERT_TRUE(pair.move(8, 8, kSize));
}

struct NoFailover {
  NoFailover() { setenv("POLYRAIL_FAILOVER", "off", 1); }
  ~NoFailover() { unsetenv("POLYRAIL_FAILOVER"); }
};

class FatalEvent : public testing::TestWithParam<int> {
 protected:
  void TearDown() override { unsetenv("NCCL_IB_RETURN_ASYNC_EVENTS"); }
  const NoFailover off_;
};
INSTANTIATE_TEST_SUITE_P(OfAQueue, FatalEvent,
                         testing::Values(IBV_EVENT_CQ_ERR, IBV_EVENT_QP_FATAL, IBV_EVENT_QP_REQ_ERR,
                                         IBV_EVENT_QP_ACCESS_ERR));

TEST_P(FatalEvent, EndsTheConnectionOfTheQueueAndNoOther) {
  PluginPair other(2, nullptr), concerned(2, nullptr);
  open(other);
  open(concerned);
  EXPECT_TRUE(concerned.event(0, GetParam()).ok());
  EXPECT_FALSE(concerned.move(8, 8, kSize));
  EXPECT_TRUE(other.move(8, 8, kSize));
}

TEST_P(FatalEvent, IsOnlySaidWhenTheUserAsksSo) {
  setenv("NCCL_IB_RETURN_ASYNC_EVENTS", "0", 1);
  PluginPair pair(2, nullptr);
  open(pair);
  EXPECT_TRUE(pair.event(0, GetParam()).ok());
  EXPECT_TRUE(pair.event(0, IBV_EVENT_DEVICE_FATAL).ok());
  EXPECT_TRUE(pair.move(8, 8, kSize));
}

TEST(FatalEventOfANic, EndsAllOfItsConnectionsAndRefusesNewOnes) {
  const NoFailover off;
  PluginPair first(2, nullptr), second(2, nullptr);
  open(first);
  open(second);
  EXPECT_TRUE(first.event(1, IBV_EVENT_DEVICE_FATAL).ok());
  EXPECT_FALSE(first.move(8, 8, kSize));
  EXPECT_FALSE(second.move(8, 8, kSize));
  PluginPair later(2, nullptr);
  EXPECT_FALSE(later.connect().ok());
}

TEST(HarmlessEvent, EndsNothing) {
  const NoFailover off;
  PluginPair pair(2, nullptr);
  open(pair);
  for (const int type : {IBV_EVENT_COMM_EST, IBV_EVENT_SQ_DRAINED, IBV_EVENT_PORT_ERR, IBV_EVENT_PORT_ACTIVE,
                         IBV_EVENT_PKEY_CHANGE, IBV_EVENT_GID_CHANGE})
    EXPECT_TRUE(pair.event(1, type).ok());
  EXPECT_TRUE(pair.move(8, 8, kSize));
  PluginPair later(2, nullptr);
  open(later);
}

}  // namespace
}  // namespace polyrail::contract
