// SPDX-License-Identifier: Apache-2.0
// Which rails are named, and which never are.
#include "net/telemetry/slow_rails.h"

#include <gmock/gmock.h>

namespace polyrail::net {
namespace {

using testing::HasSubstr;

constexpr uint64_t kBusy = 100 << 20;

struct Rails : testing::Test {
  std::vector<RailLoad> loads;
  SlowRails slow;

  void add(double gbps, double latencyUs, uint64_t bytes = kBusy, uint32_t speedMbps = 400'000) {
    loads.push_back({"mlx5_" + std::to_string(loads.size()) + ":1", speedMbps, bytes, gbps / 8e-9, latencyUs * 1e3,
                     "node2 mlx5_0:1", false});
  }
  std::vector<SlowRails::Verdict> turns(unsigned n) {
    std::vector<SlowRails::Verdict> all;
    for (unsigned i = 0; i < n; i++)
      for (SlowRails::Verdict& v : slow.judge(loads)) all.push_back(std::move(v));
    return all;
  }
};

TEST_F(Rails, OneAtAQuarterIsNamedOnceWithNumbers) {
  for (const double gbps : {380.0, 95.0, 380.0, 380.0}) add(gbps, gbps > 100 ? 50 : 180);
  const auto verdicts = turns(100);
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].rail, 1u);
  EXPECT_TRUE(verdicts[0].slow);
  EXPECT_THAT(verdicts[0].text, HasSubstr("mlx5_1:1 is slow: 95.0 Gb/s under load, 25 % of what its siblings do "
                                          "(mlx5_0:1 380.0, mlx5_2:1 380.0, mlx5_3:1 380.0)"));
  EXPECT_THAT(verdicts[0].text, HasSubstr("all of it goes to node2 mlx5_0:1"));
}

TEST_F(Rails, ItIsNamedAgainOnlyAfterItRecovered) {
  add(380, 50), add(95, 180);
  EXPECT_EQ(turns(SlowRails::kTurns - 1).size(), 0u);
  EXPECT_EQ(turns(1).size(), 1u);
  loads[1].rate = loads[0].rate;
  loads[1].latency = loads[0].latency;
  const auto well = turns(20);
  ASSERT_EQ(well.size(), 1u);
  EXPECT_FALSE(well[0].slow);
  EXPECT_THAT(well[0].text, HasSubstr("mlx5_1:1 is no longer slow: 380.0 Gb/s"));
  loads[1].rate /= 4;
  loads[1].latency *= 4;
  EXPECT_EQ(turns(20).size(), 1u);
}

TEST_F(Rails, EqualOnesAndASingleOneAreNever) {
  add(380, 50);
  EXPECT_TRUE(turns(50).empty());
  add(350, 55), add(380, 50);
  EXPECT_TRUE(turns(50).empty());
}

TEST_F(Rails, AnIdleOneIsNever) {
  add(380, 50), add(380, 50), add(1, 180, SlowRails::kLoaded - 1);
  EXPECT_TRUE(turns(50).empty());
}

TEST_F(Rails, OneWithShortMessagesIsNever) {
  add(380, 50), add(380, 50), add(20, 12);
  EXPECT_TRUE(turns(50).empty());
}

TEST_F(Rails, OneOfHalfTheSpeedIsMeasuredByIt) {
  add(380, 50), add(190, 90, kBusy, 200'000);
  EXPECT_TRUE(turns(50).empty());
  loads[1].rate /= 3;
  EXPECT_EQ(turns(50).size(), 1u);
}

TEST_F(Rails, AMomentIsNotEnough) {
  add(380, 50), add(95, 180);
  for (int i = 0; i < 20; i++) {
    EXPECT_TRUE(turns(SlowRails::kTurns - 1).empty());
    std::swap(loads[1].rate, loads[0].rate);
    std::swap(loads[1].latency, loads[0].latency);
  }
}

}  // namespace
}  // namespace polyrail::net
