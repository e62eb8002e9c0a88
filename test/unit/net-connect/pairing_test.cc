// SPDX-License-Identifier: Apache-2.0
#include "net/connect/pairing.h"

#include <gtest/gtest.h>

#include <map>

namespace polyrail::net {
namespace {

RailInfo rail(int subnet, int host, int railNumber = -1, int plane = -1) {
  RailInfo r;
  r.gid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, static_cast<uint8_t>(subnet), static_cast<uint8_t>(host)};
  r.rail = static_cast<int16_t>(railNumber);
  r.plane = static_cast<int16_t>(plane);
  r.name = "nic" + std::to_string(subnet) + ":1";
  return r;
}

std::vector<RailInfo> rails(size_t count, int host) {
  std::vector<RailInfo> all;
  for (size_t i = 0; i < count; i++) all.push_back(rail(static_cast<int>(i), host));
  return all;
}

TEST(Pairing, EveryRailOfEveryShapeHasAPath) {
  for (size_t n = 1; n <= 8; n++)
    for (size_t m = 1; m <= 8; m++) {
      const auto plan = pairRails(rails(n, 1), rails(m, 2), {});
      ASSERT_TRUE(plan.ok());
      std::map<int, int> senders, receivers;
      for (const PathPlan& p : plan.value()) senders[p.senderRail]++, receivers[p.receiverRail]++;
      EXPECT_EQ(senders.size(), n) << n << " x " << m;
      EXPECT_EQ(receivers.size(), m) << n << " x " << m;
      EXPECT_EQ(plan.value().size(), std::max(n, m));
      const auto& shorter = n < m ? senders : receivers;
      for (const auto& [index, paths] : shorter)
        EXPECT_LE(paths, static_cast<int>((std::max(n, m) + std::min(n, m) - 1) / std::min(n, m)));
    }
}

TEST(Pairing, FollowsSubnetsAndNotTheOrder) {
  const std::vector<RailInfo> here{rail(7, 1), rail(3, 1), rail(5, 1)}, there{rail(5, 2), rail(7, 2), rail(3, 2)};
  const auto plan = pairRails(here, there, {});
  ASSERT_TRUE(plan.ok());
  for (const PathPlan& p : plan.value()) EXPECT_EQ(here[p.senderRail].gid[14], there[p.receiverRail].gid[14]);
}

TEST(Pairing, FollowsPlaneThenRailWhereSubnetsSayNothing) {
  const std::vector<RailInfo> here{rail(1, 1, 0, 0), rail(1, 2, 1, 0), rail(1, 3, 0, 1)};
  const std::vector<RailInfo> there{rail(1, 4, 0, 1), rail(1, 5, 0, 0), rail(1, 6, 1, 0)};
  const auto plan = pairRails(here, there, {});
  ASSERT_TRUE(plan.ok());
  for (const PathPlan& p : plan.value()) {
    EXPECT_EQ(here[p.senderRail].plane, there[p.receiverRail].plane);
    EXPECT_EQ(here[p.senderRail].rail, there[p.receiverRail].rail);
  }
}

TEST(Pairing, HonoursThePrefixLength) {
  const std::vector<RailInfo> here{rail(16, 1), rail(32, 1)}, there{rail(33, 2), rail(17, 2)};
  PairingRules rules;
  rules.subnetBits = 20;  // 10.0.16.0/20 holds 17, 10.0.32.0/20 holds 33
  const auto plan = pairRails(here, there, rules);
  ASSERT_TRUE(plan.ok());
  for (const PathPlan& p : plan.value()) EXPECT_EQ(p.senderRail, 1 - p.receiverRail);
}

TEST(Pairing, SeveralQueuePairsStayWithinWhatACommCanHold) {
  PairingRules rules;
  rules.queuePairs = 4;
  EXPECT_EQ(pairRails(rails(2, 1), rails(2, 2), rules).value().size(), 8u);
  rules.queuePairs = 128;
  EXPECT_EQ(pairRails(rails(8, 1), rails(8, 2), rules).value().size(), 24u);
}

TEST(Pairing, RotatesSoThatGrantsAreSpread) {
  PairingRules rules;
  rules.first = 5;
  EXPECT_EQ(pairRails(rails(4, 1), rails(4, 2), rules).value()[0].senderRail, 1);
}

TEST(Pairing, RefusesKindsThatDoNotMix) {
  std::vector<RailInfo> here = rails(1, 1), there = rails(1, 2);
  here[0].link = LinkLayer::kInfiniBand;
  const auto plan = pairRails(here, there, {});
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.message().find("NCCL_IB_HCA"), std::string::npos) << plan.message();
}

}  // namespace
}  // namespace polyrail::net
