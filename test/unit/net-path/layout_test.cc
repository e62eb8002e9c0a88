// SPDX-License-Identifier: Apache-2.0
// The bits that go over the wire are those of docs/wire-protocol.md.
#include <gtest/gtest.h>

#include "net/path/layout.h"

namespace polyrail::net {
namespace {

TEST(Immediate, CarriesEveryFieldApart) {
  for (const uint64_t slot : {1ull, 31ull, 32ull, 33ull, 1'048'575ull, 1'048'576ull})
    for (const unsigned request : {0u, 7u})
      for (const unsigned chunk : {0u, 1u, 255u})
        for (const bool last : {false, true}) {
          const Immediate i = Immediate::of(slot, request, chunk, last);
          EXPECT_EQ(i.slot(), slot % 32);
          EXPECT_EQ(i.request(), request);
          EXPECT_EQ(i.chunk(), chunk);
          EXPECT_EQ(i.last(), last);
          EXPECT_EQ(i.generation(), slot / 32 % 32768);
          EXPECT_EQ(i.bits, Immediate::of(slot, request, 0, false).with(chunk, last).bits);
        }
}

TEST(Immediate, HasTheBitsOfThePage) {
  EXPECT_EQ(Immediate::of(3, 0, 0, false).bits, 3u);
  EXPECT_EQ(Immediate::of(0, 5, 0, false).bits, 5u << 5);
  EXPECT_EQ(Immediate::of(0, 0, 0, true).bits, 1u << 8);
  EXPECT_EQ(Immediate::of(0, 0, 9, false).bits, 9u << 9);
  EXPECT_EQ(Immediate::of(64, 0, 0, false).bits, 2u << 17);
}

TEST(Layout, IsThatOfThePage) {
  EXPECT_EQ(offsetof(GrantHeader, epoch), 0u);
  EXPECT_EQ(offsetof(GrantHeader, requests), 4u);
  EXPECT_EQ(offsetof(GrantHeader, posted), 8u);
  EXPECT_EQ(offsetof(GrantLine, address), 0u);
  EXPECT_EQ(offsetof(GrantLine, capacity), 8u);
  EXPECT_EQ(offsetof(GrantLine, userTag), 16u);
  EXPECT_EQ(offsetof(GrantLine, flags), 20u);
  EXPECT_EQ(offsetof(GrantLine, rails), 22u);
  EXPECT_EQ(offsetof(GrantLine, rkey), 24u);
  EXPECT_EQ(offsetof(GrantRing, credit), 32u * 9 * 64);
  EXPECT_EQ(sizeof(SizeRecords), 32u * 8 * 64);
  EXPECT_EQ(offsetof(SizeRecord, chunks), 16u);
  for (const size_t tag :
       {offsetof(GrantHeader, tag), offsetof(GrantLine, tag), offsetof(CreditLine, tag), offsetof(SizeRecord, tag)})
    EXPECT_EQ(tag, 56u);  // the last word
}

}  // namespace
}  // namespace polyrail::net
