// SPDX-License-Identifier: Apache-2.0
#include "cli/output/json.h"

#include <gtest/gtest.h>

namespace polyrail::cli {
namespace {

TEST(JsonText, KeepsTheOrderAndIndents) {
  EXPECT_EQ(jsonText({{"z", 1}, {"a", "µ"}}), "{\n  \"z\": 1,\n  \"a\": \"µ\"\n}");
}

TEST(JsonText, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(jsonText(std::string("/tmp/\xff.log")), "\"/tmp/\xef\xbf\xbd.log\"");
}

}  // namespace
}  // namespace polyrail::cli
