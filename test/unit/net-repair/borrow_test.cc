// SPDX-License-Identifier: Apache-2.0
// A comm whose only rail runs far below its siblings takes part of these, and gives it back; what is no reason to.
#include <gtest/gtest.h>

#include "net/data/borrowing.h"
#include "test/unit/net-repair/fleet.h"

namespace polyrail::net {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr double kGbps = 0.4;
constexpr LaneOptions kLane{.size = 128 << 10};

std::string slow(const char* target, const char* amount) {
  return R"([{"at": "500ms", "do": "slow", "target": ")" + std::string(target) + R"(", "amount": )" + amount +
         R"(, "for": "6s"}])";
}

std::vector<std::string> kinds(Comm& comm) {
  std::vector<std::string> all;
  for (const Comm::News& n : comm.takeNews()) all.push_back(n.kind);
  return all;
}

TEST(Borrow, ASlowNicsCommTakesPartOfItsSiblingsUntilItRecovers) {
  for (const char* end : {"a/emu0", "b/emu0"}) {
    Fleet f(4, kGbps, slow(end, "25"), kLane);
    f.runUntil(4000 * kMs);
    ASSERT_TRUE(f.ok()) << f.lanes[0]->stream.error();
    EXPECT_EQ(f.lanes[0]->pair.send->livePaths(), 0b1111u) << end;
    const std::vector<double> rates = f.gbpsUntil(5000 * kMs);
    EXPECT_GE(rates[0], 2 * kGbps / 4) << end;
    for (size_t i = 1; i < rates.size(); i++) EXPECT_GE(rates[i], 0.85 * kGbps) << end << i;
    f.runUntil(10'500 * kMs);
    ASSERT_TRUE(f.ok()) << f.lanes[0]->stream.error();
    EXPECT_EQ(f.lanes[0]->pair.send->livePaths(), 0b1u);
    EXPECT_EQ(kinds(*f.lanes[0]->pair.send), (std::vector<std::string>{"is slow", "is no longer slow"}));
    EXPECT_TRUE(kinds(*f.lanes[0]->pair.recv).empty());
    for (size_t i = 1; i < 4; i++) EXPECT_TRUE(kinds(*f.lanes[i]->pair.send).empty()) << i;
  }
}

TEST(Borrow, NothingIsBorrowedWhileAllAreAsSlowOrItIsSwitchedOff) {
  Fleet half(2, kGbps, slow("a", "50"), kLane),
      off(2, kGbps, slow("a/emu0", "25"), {.size = 128 << 10, .borrow = false});
  for (Fleet* f : {&half, &off}) {
    f->runUntil(4000 * kMs);
    ASSERT_TRUE(f->ok());
    EXPECT_EQ(f->made(), 0u);
    EXPECT_EQ(f->fenced(), 0u);
  }
}

TEST(Borrow, ACommWithLittleToDoOrNoGrantsDoesNotBorrow) {
  Fleet f(2, kGbps, "[]", kLane);
  for (const auto& lane : f.lanes) lane->stream.stopAfter(3);
  f.runUntil(5000 * kMs);
  ASSERT_TRUE(f.ok());
  EXPECT_EQ(f.made(), 0u);
}

TEST(Borrow, CommsThatShareANicAreNotSlow) {
  Fleet f(2, kGbps, "[]", kLane);
  for (int i = 0; i < 3; i++) f.lanes.push_back(std::make_unique<Lane>(f.rig, kLane));
  f.runUntil(4000 * kMs);
  ASSERT_TRUE(f.ok());
  EXPECT_EQ(f.made(), 0u);
}

TEST(Borrow, WhatIsBorrowedStandsInWhenTheSlowNicDies) {
  Fleet f(3, kGbps,
          R"([{"at": "100ms", "do": "slow", "target": "a/emu0", "amount": 25},
              {"at": "4s", "do": "port_down", "target": "a/emu0"}])",
          kLane);
  for (size_t i = 1; i < 3; i++) f.lanes[i]->stream.stopAfter(1);
  f.runUntil(3900 * kMs);
  EXPECT_EQ(f.lanes[0]->pair.send->livePaths(), 0b111u);
  f.runUntil(4500 * kMs);
  ASSERT_TRUE(f.ok()) << f.lanes[0]->stream.error();
  EXPECT_GE(f.gbpsUntil(5000 * kMs)[0], 0.9 * kGbps);
}

TEST(Borrow, FarBelowIsJudgedByWhatIsUnderWay) {
  const double full = 50;  // bytes a ns
  EXPECT_TRUE(isFarBelow({.rate = 12, .owed = 8e6, .busy = true}, full, full));
  EXPECT_FALSE(isFarBelow({.rate = 25, .owed = 8e6, .busy = true}, full, full));
  EXPECT_FALSE(isFarBelow({.rate = 12, .owed = 8e6, .busy = false}, full, full));
  EXPECT_FALSE(isFarBelow({.rate = 0.4, .owed = 8e3, .busy = true}, full, full)) << "one short message at a time";
  EXPECT_TRUE(isFarBelow({.rate = 24, .owed = 8e6, .busy = true}, full / 2, full)) << "a link at half width";
  EXPECT_FALSE(isWell({.rate = 24}, 24, full / 2, full)) << "a link at half width";
  EXPECT_TRUE(isWell({.rate = 5}, 45, full, full)) << "it has little to do, and does that fast";
}

}  // namespace
}  // namespace polyrail::net
