// SPDX-License-Identifier: Apache-2.0
#include "cli/deploy/host_list.h"

#include <gtest/gtest.h>

namespace polyrail::cli {
namespace {

using Names = std::vector<std::string>;

Names hosts(const std::string& text) {
  const Result<Names> parsed = parseHosts(text);
  return parsed.ok() ? parsed.value() : Names{"refused: " + parsed.message()};
}

TEST(ParseHosts, TakesListsRangesAndFiles) {
  EXPECT_EQ(hosts("a,b.example.org"), (Names{"a", "b.example.org"}));
  EXPECT_EQ(hosts("n[008-010,7]-ib,x"), (Names{"n008-ib", "n009-ib", "n010-ib", "n7-ib", "x"}));
  EXPECT_EQ(hosts("a\nb\r\n\nfe80::1\n"), (Names{"a", "b", "fe80::1"}));
  EXPECT_EQ(hosts("a,b,a"), (Names{"a", "b"}));
  EXPECT_EQ(hosts("n[9-11]"), (Names{"n9", "n10", "n11"}));
}

TEST(ParseHosts, RefusesWhatAShellWouldTakeApart) {
  for (const char* text : {"", ",", "a;b", "$(id)", "-oProxyCommand=x", "n[1-", "n]1[", "n[]", "n[2-1]", "n[a-b]",
                           "n[0-99999999]", "n[1][2]", "a'b", "n[1-60000],m[1-60000]"})
    EXPECT_FALSE(parseHosts(text).ok()) << text;
}

}  // namespace
}  // namespace polyrail::cli
