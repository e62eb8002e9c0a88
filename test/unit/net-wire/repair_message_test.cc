// SPDX-License-Identifier: Apache-2.0
// The messages of repair and fail-back.
#include <gtest/gtest.h>

#include <random>

#include "net/wire/repair.h"

namespace polyrail::net {
namespace {

std::span<const uint8_t> body(const std::vector<uint8_t>& message) {
  return std::span(message).subspan(kFrameHeader);
}

uint32_t epochOf(const std::vector<uint8_t>& message) {
  return decodeFrame(std::span(message).first(kFrameHeader)).value().epoch;
}

Fenced someFenced() {
  Fenced m{7, 3, {}};
  Fenced::Request part;
  part.arrived = {1, 0, uint64_t{1} << 63, 0};
  m.slots = {{41, {{true, {}}, part}}, {42, {{}}}};
  return m;
}

NewPath someNewPath() {
  NewPath m;
  m.path = {2, 9};
  m.rail.name = "mlx5_2:1";
  m.rail.mtu = 5;
  m.end = {1, 2, 0xabc, 0x123, {0x1000, 7}, {0x2000, 8}, 40000};
  return m;
}

TEST(RepairMessage, EveryMessageComesBackEqual) {
  const PathDown down{{3, 2}, "the port went down"};
  EXPECT_EQ(decodePathDown(body(encode(down))).value(), down);
  const Fence fence{5, {{0, 1}, {23, 65535}}};
  const std::vector<uint8_t> bytes = encode(fence);
  EXPECT_EQ(decodeFence(body(bytes), epochOf(bytes)).value(), fence);
  const std::vector<uint8_t> fenced = encode(someFenced());
  EXPECT_EQ(decodeFenced(body(fenced), epochOf(fenced)).value(), someFenced());
  EXPECT_EQ(decodeNewPath(body(encodeMake(someNewPath()))).value(), someNewPath());
  EXPECT_EQ(decodeNewPath(body(encodeMade(someNewPath()))).value(), someNewPath());
  EXPECT_EQ(decodeProve(body(encode(Prove{{1, 4}}))).value(), (Prove{{1, 4}}));
  EXPECT_EQ(decodeLive(body(encode(Live{{1, 4}, 0}))).value(), (Live{{1, 4}, 0}));
  EXPECT_EQ(decodeAbort(body(encode(Abort{"enough"}))).value(), Abort{"enough"});
}

// The longest answer fits a frame.
TEST(RepairMessage, AnAnswerAboutEverythingIsAFrame) {
  Fenced m{1, Fenced::kNoPath, {}};
  Fenced::Request all;
  all.arrived.fill(~uint64_t{0});
  for (uint64_t n = 1; n <= kSlots; n++) m.slots.push_back({n, std::vector<Fenced::Request>(kGroup, all)});
  const std::vector<uint8_t> bytes = encode(m);
  EXPECT_LT(bytes.size(), kMaxFrame);
  EXPECT_EQ(decodeFenced(body(bytes), 1).value(), m);
}

TEST(RepairMessage, WhatNoPeerMaySayIsMalformed) {
  std::vector<uint8_t> noPath = encode(Fence{1, {{0, 1}}});
  noPath[kFrameHeader + 1] = kMaxCommPaths;
  EXPECT_FALSE(decodeFence(body(noPath), 1).ok());
  EXPECT_FALSE(decodeFence(body(encode(Fence{1, {}})), 1).ok());
  EXPECT_FALSE(decodeFenced(body(encode(Fenced{1, 24, {}})), 1).ok());
  EXPECT_FALSE(decodeFenced(body(encode(Fenced{1, 0, {{5, {}}}})), 1).ok());
}

TEST(RepairMessage, CutOrWithOneByteMoreIsMalformed) {
  for (const std::vector<uint8_t>& whole :
       {encode(someFenced()), encodeMake(someNewPath()), encode(Fence{1, {{0, 1}}})}) {
    const bool fenced = whole == encode(someFenced()), make = whole == encodeMake(someNewPath());
    const auto reads = [&](const std::vector<uint8_t>& bytes) {
      if (fenced) return decodeFenced(body(bytes), 7).ok();
      return make ? decodeNewPath(body(bytes)).ok() : decodeFence(body(bytes), 1).ok();
    };
    EXPECT_TRUE(reads(whole));
    for (size_t n = kFrameHeader; n < whole.size(); n++)
      EXPECT_FALSE(reads({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(n)}));
    std::vector<uint8_t> longer = whole;
    longer.push_back(0);
    EXPECT_FALSE(reads(longer));
  }
}

}  // namespace
}  // namespace polyrail::net
