// SPDX-License-Identifier: Apache-2.0
// What connections get of the user's settings.
#include "net/settings.h"

#include <gtest/gtest.h>

namespace polyrail::net {
namespace {

TEST(PathSettingsTest, TheUsersClassGoesBeforeTheCommunicators) {
  DataSettings data;
  EXPECT_EQ(pathSettings(data, -1).trafficClass, 0);
  EXPECT_EQ(pathSettings(data, 106).trafficClass, 106);
  data.trafficClass = 104;
  EXPECT_EQ(pathSettings(data, 106).trafficClass, 104);
}

TEST(PathSettingsTest, GrantsMayHaveAClassOfTheirOwnOnEthernet) {
  DataSettings data;
  data.trafficClass = 104;
  PathSettings path = pathSettings(data, -1);
  useForGrants(data, LinkLayer::kEthernet, &path);
  EXPECT_EQ(path.trafficClass, 104);
  data.grantTrafficClass = 0;
  useForGrants(data, LinkLayer::kInfiniBand, &path);
  EXPECT_EQ(path.trafficClass, 104);
  useForGrants(data, LinkLayer::kEthernet, &path);
  EXPECT_EQ(path.trafficClass, 0);
}

TEST(PathSettingsTest, EceIsTheUsers) {
  DataSettings data;
  EXPECT_TRUE(pathSettings(data, -1).ece);
  data.ece = false;
  EXPECT_FALSE(pathSettings(data, -1).ece);
}

}  // namespace
}  // namespace polyrail::net
