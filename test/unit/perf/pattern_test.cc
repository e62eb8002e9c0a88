// SPDX-License-Identifier: Apache-2.0
// The bytes of messages: any difference shows, at the right place.
#include "cli/perf/pattern.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "cli/perf/pings.h"

namespace polyrail::cli {
namespace {

RC_GTEST_PROP(Pattern, AChangedByteIsFoundWhereItIs, (uint64_t pattern)) {
  const auto size = *rc::gen::inRange<size_t>(1, 300);
  const auto at = *rc::gen::inRange<size_t>(0, size);
  const auto from = *rc::gen::inRange<size_t>(0, size + 1);
  std::vector<unsigned char> bytes(size);
  fillPattern(bytes.data(), size, pattern);
  RC_ASSERT(firstWrongByte(bytes.data(), size, pattern, from) == size);
  bytes[at] ^= static_cast<unsigned char>(*rc::gen::inRange(1, 256));
  RC_ASSERT(firstWrongByte(bytes.data(), size, pattern, from) == (at >= from ? at : size));
}

// A message in the place of another, or moved by a word, does not pass for it.
TEST(Pattern, NeighboursDifferEverywhere) {
  std::vector<char> bytes(4096);
  fillPattern(bytes.data(), bytes.size(), 7);
  for (const uint64_t other : {6, 8, 0})
    for (size_t word = 0; word < bytes.size(); word += 8)
      EXPECT_LT(firstWrongByte(bytes.data(), word + 8, other, word), word + 8);
  EXPECT_LT(firstWrongByte(bytes.data() + 8, bytes.size() - 8, 7), 8u);
}

TEST(Pattern, TheEmptyMessageIsRight) { EXPECT_EQ(firstWrongByte(nullptr, 0, 1), 0u); }

TEST(Stamp, IsReadBack) {
  char bytes[kStampBytes];
  stamp(bytes, 0x0102030405060708);
  EXPECT_TRUE(isStamped(bytes, 0x0102030405060708));
  EXPECT_FALSE(isStamped(bytes, 0x0102030405060709));
}

TEST(Quantile, IsTheNearestRank) {
  EXPECT_EQ(quantile({}, 0.5), 0);
  EXPECT_EQ(quantile({3}, 0.99), 3);
  EXPECT_EQ(quantile({1, 2, 3, 4}, 0.5), 2);
  EXPECT_EQ(quantile({1, 2, 3, 4}, 0.99), 4);
  EXPECT_EQ(quantile({1, 2, 3, 4}, 0), 1);
}

}  // namespace
}  // namespace polyrail::cli
