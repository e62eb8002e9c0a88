// SPDX-License-Identifier: Apache-2.0
#include "common/status.h"

#include <gtest/gtest.h>

#include <memory>

namespace polyrail {
namespace {

TEST(Status, IsOkOrSaysWhy) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().message(), "");
  const Status bad = Status::error("policy.json:12: no such algorithm");
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.message(), "policy.json:12: no such algorithm");
}

TEST(Status, AnErrorWithoutWordsIsStillAnError) {
  EXPECT_FALSE(Status::error("").ok());
  EXPECT_FALSE(Status::error("").message().empty());
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = 3;
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good.value(), 3);
  const Result<int> bad = Status::error("no");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.message(), "no");
  EXPECT_EQ(bad.status().message(), "no");
}

TEST(Result, GivesUpAMoveOnlyValue) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  *result.value() = 6;
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 6);
}

TEST(Result, AStringIsAValueNotAnError) {
  const Result<std::string> text = std::string("fine");
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text.value(), "fine");
}

}  // namespace
}  // namespace polyrail
