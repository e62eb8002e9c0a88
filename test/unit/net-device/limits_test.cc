// SPDX-License-Identifier: Apache-2.0
#include "net/device/limits.h"

#include <gmock/gmock.h>

#include "net/device/ledger.h"

namespace polyrail::net {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Port> onePort(int maxQp) {
  std::vector<Port> ports(1);
  ports[0].device = "mlx5_0";
  ports[0].limits.maxQp = maxQp;
  return ports;
}

TEST(Limits, NothingToSayWhenAllIsWide) {
  EXPECT_THAT(limitProblems({}, onePort(100'000), {1024, 2, 2}), IsEmpty());
  EXPECT_THAT(limitProblems({}, onePort(0), {1024, 2, 2}), IsEmpty()) << "an unknown limit is none";
}

TEST(Limits, EachOneTooLowIsOneLineWithTheRemedy) {
  ProcessLimits low;
  low.memlock = 64 << 10;
  low.files = low.filesMost = 1024;
  const auto lines = limitProblems(low, onePort(4000), {1024, 2, 1});
  EXPECT_THAT(lines, ElementsAre(HasSubstr("limited to 64 KiB and NICs need more: ulimit -l unlimited"),
                                 HasSubstr("limited to 1024, 4096 connections need 4608: nofile in limits.conf"),
                                 HasSubstr("mlx5_0 has 4000 queue pairs and 4096 connections of 1 paths need 4096")));
}

TEST(Limits, ASoftLimitCanBeRaisedByTheUser) {
  ProcessLimits soft;
  soft.files = 1024, soft.filesMost = 1 << 20;
  EXPECT_THAT(limitProblems(soft, {}, {}), ElementsAre(HasSubstr("ulimit -n 4096")));
}

TEST(Limits, RootMayLockWhatItLikes) {
  ProcessLimits root;
  root.memlock = 64 << 10;
  root.root = true;
  EXPECT_THAT(limitProblems(root, {}, {}), IsEmpty());
}

TEST(Ledger, NarrowsBeforeItRefuses) {
  Ledger ledger("queue pairs of mlx5_0", 10, "set fewer channels");
  EXPECT_EQ(ledger.offer(4, 1), 4);
  Ledger::Lease first = ledger.take(5).value();
  EXPECT_EQ(ledger.offer(4, 1), 1);
  EXPECT_TRUE(ledger.scarceForTheFirstTime());
  EXPECT_FALSE(ledger.scarceForTheFirstTime());
  const auto none = ledger.take(6);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.message(), "all 10 queue pairs of mlx5_0 are in use (5, and 6 more are needed); set fewer channels");
  EXPECT_EQ(ledger.used(), 5);
  { const Ledger::Lease second = ledger.take(5).value(); }
  EXPECT_EQ(ledger.used(), 5);
  first = {};
  EXPECT_EQ(ledger.used(), 0);
}

TEST(Ledger, AnUnknownLimitNeverRefuses) {
  Ledger ledger("queue pairs of mlx5_0", 0, "");
  EXPECT_TRUE(ledger.take(1'000'000).ok());
  EXPECT_EQ(ledger.offer(4, 1), 4);
}

}  // namespace
}  // namespace polyrail::net
