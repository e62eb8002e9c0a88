// SPDX-License-Identifier: Apache-2.0
#include "cli/output/suggest.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace polyrail::cli {
namespace {

const std::vector<std::string> kVerbs = {"read", "learn", "eval", "explain", "check", "env"};

TEST(EditDistance, CountsEachKindOfSlipOnce) {
  EXPECT_EQ(editDistance("learn", "learn"), 0u);
  EXPECT_EQ(editDistance("learn", "leearn"), 1u);
  EXPECT_EQ(editDistance("learn", "lear"), 1u);
  EXPECT_EQ(editDistance("learn", "leurn"), 1u);
  EXPECT_EQ(editDistance("learn", "laern"), 1u);
  EXPECT_EQ(editDistance("learn", "nrael"), 4u);
  EXPECT_EQ(editDistance("", "abc"), 3u);
  EXPECT_EQ(editDistance("abc", ""), 3u);
  EXPECT_EQ(editDistance("ab", "ba"), 1u);
}

TEST(EditDistance, IsSymmetricAndNoLargerThanTheLongerWord) {
  EXPECT_TRUE(rc::check([] {
    const auto letter = rc::gen::inRange('a', 'd');
    const auto a = *rc::gen::container<std::string>(letter), b = *rc::gen::container<std::string>(letter);
    const size_t distance = editDistance(a, b);
    RC_ASSERT(distance == editDistance(b, a));
    RC_ASSERT(distance <= std::max(a.size(), b.size()));
    RC_ASSERT((distance == 0) == (a == b));
  }));
}

TEST(DidYouMean, NamesTheNearestWordOnly) {
  EXPECT_EQ(didYouMean("laern", kVerbs), ", did you mean 'learn'?");
  EXPECT_EQ(didYouMean("evla", kVerbs), ", did you mean 'eval'?");
  EXPECT_EQ(didYouMean("exlain", kVerbs), ", did you mean 'explain'?");
  EXPECT_EQ(didYouMean("enw", kVerbs), ", did you mean 'env'?");
}

TEST(DidYouMean, SaysNothingWhenNothingIsNear) {
  for (const char* word : {"", "x", "banana", "leopard", "eva luation"})
    EXPECT_EQ(didYouMean(word, kVerbs), "") << word;
  EXPECT_EQ(didYouMean("learn", {}), "");
}

}  // namespace
}  // namespace polyrail::cli
