// SPDX-License-Identifier: Apache-2.0
#include "net/device/gid.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <vector>

namespace polyrail::net {
namespace {

Gid gid(const char* address) {
  Gid g{};
  EXPECT_EQ(inet_pton(AF_INET6, address, g.data()), 1) << address;
  return g;
}

GidEntry entry(int index, const char* address, GidType type, const char* netdev = "eth2", bool visible = true) {
  return {index, gid(address), type, netdev, visible};
}

constexpr GidType kV1 = GidType::kRoceV1, kV2 = GidType::kRoceV2;

// The usual table of one RoCE port with one IPv4 address.
std::vector<GidEntry> usualTable() {
  return {entry(0, "fe80::1", kV1), entry(1, "fe80::1", kV2), entry(2, "::ffff:10.0.0.5", kV1),
          entry(3, "::ffff:10.0.0.5", kV2)};
}

int chosen(const std::vector<GidEntry>& table, const GidWish& wish = {}) {
  const Result<GidChoice> choice = chooseGid(LinkLayer::kEthernet, table, wish);
  EXPECT_TRUE(choice.ok()) << choice.message();
  return choice.ok() ? choice.value().index : -1;
}

TEST(Gid, UsualTableGivesRoceV2OverIpv4) { EXPECT_EQ(chosen(usualTable()), 3); }

TEST(Gid, VersionAndFamilyAsAsked) {
  GidWish v1;
  v1.roceVersion = 1;
  EXPECT_EQ(chosen(usualTable(), v1), 2);
  auto table = usualTable();
  table.push_back(entry(4, "fd00::5", kV1));
  table.push_back(entry(5, "fd00::5", kV2));
  GidWish v6;
  v6.family = AddressFamily::kIpv6;
  EXPECT_EQ(chosen(table, v6), 5);
  EXPECT_EQ(chosen(table), 3);
}

TEST(Gid, SparseTablesAndMovedIndices) {
  EXPECT_EQ(chosen({entry(0, "::", kV2), entry(1, "fe80::", kV2), entry(7, "::ffff:10.0.0.5", kV2)}), 7);
  EXPECT_EQ(chosen({entry(2, "::ffff:10.77.0.1", kV2), entry(0, "fe80::1", kV2)}), 2);
}

TEST(Gid, LinkLocalIsBetterThanNothing) {
  EXPECT_EQ(chosen({entry(0, "fe80::1", kV1), entry(1, "fe80::1", kV2)}), 1);
}

TEST(Gid, EntriesOfOtherNamespacesAreLast) {
  auto table = usualTable();
  table[3].netdevVisible = false;
  EXPECT_EQ(chosen(table), 2);
  for (GidEntry& e : table) e.netdevVisible = false;
  EXPECT_FALSE(chooseGid(LinkLayer::kEthernet, table, {}).ok());
}

TEST(Gid, RangeDecidesBeforeVersion) {
  auto table = usualTable();
  table.push_back(entry(4, "::ffff:192.0.2.9", kV1));
  GidWish wish;
  wish.range = parseAddressRange("192.0.2.0/24", AddressFamily::kIpv4).value();
  EXPECT_EQ(chosen(table, wish), 4);
  wish.range = parseAddressRange("203.0.113.0/24", AddressFamily::kIpv4).value();
  const auto none = chooseGid(LinkLayer::kEthernet, table, wish);
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.message().find("NCCL_IB_ADDR_RANGE"), std::string::npos);
}

TEST(Gid, RangesThatEndInsideAByte) {
  const AddressRange range = parseAddressRange("10.1.240.0/20", AddressFamily::kIpv4).value();
  EXPECT_TRUE(range.contains(gid("::ffff:10.1.255.7")));
  EXPECT_FALSE(range.contains(gid("::ffff:10.1.239.7")));
  EXPECT_FALSE(range.contains(gid("fd00::1")));
  EXPECT_TRUE(parseAddressRange("0.0.0.0/0", AddressFamily::kIpv4).value().contains(gid("::ffff:8.8.8.8")));
  EXPECT_TRUE(parseAddressRange("fd00::/8", AddressFamily::kIpv6).value().contains(gid("fdff::1")));
}

TEST(Gid, BadRangesSayWhy) {
  for (const char* bad : {"10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "10.0.0/8", "fd00::/8", "/8", "10.0.0.0/"})
    EXPECT_FALSE(parseAddressRange(bad, AddressFamily::kIpv4).ok()) << bad;
}

TEST(Gid, FixedIndexIsTakenOrRefused) {
  GidWish wish;
  wish.fixedIndex = 1;
  EXPECT_EQ(chosen(usualTable(), wish), 1);
  wish.fixedIndex = 9;
  const auto refused = chooseGid(LinkLayer::kEthernet, usualTable(), wish);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.message().find("GID index 9"), std::string::npos);
}

TEST(Gid, InfiniBandTakesTheRoutableEntryElseZero) {
  std::vector<GidEntry> table = {entry(0, "fe80::1", GidType::kInfiniBand),
                                 entry(1, "fe80::2", GidType::kInfiniBand)};
  EXPECT_EQ(chooseGid(LinkLayer::kInfiniBand, table, {}).value().index, 0);
  table[1].gid[5] = 7;
  EXPECT_EQ(chooseGid(LinkLayer::kInfiniBand, table, {}).value().index, 1);
  EXPECT_FALSE(chooseGid(LinkLayer::kInfiniBand, {}, {}).ok());
}

TEST(Gid, TheChoiceIsExplained) {
  const GidChoice choice = chooseGid(LinkLayer::kEthernet, usualTable(), {}).value();
  EXPECT_EQ(choice.why, "RoCE v2, IPv4 of eth2");
  EXPECT_EQ(choice.rejected.size(), 3u);
  EXPECT_EQ(text(choice.gid), "::ffff:10.0.0.5");
}

TEST(Gid, EmptyTableSaysSo) {
  EXPECT_FALSE(chooseGid(LinkLayer::kEthernet, {}, {}).ok());
  EXPECT_FALSE(chooseGid(LinkLayer::kEthernet, {entry(0, "::", kV2)}, {}).ok());
}

}  // namespace
}  // namespace polyrail::net
