// SPDX-License-Identifier: Apache-2.0
// A port's GIDs as they are now: from the kernel by one call, where there is one, with what only /sys tells.
#include "net/device/gid_table.h"

#include <gtest/gtest.h>

#include "test/unit/temp_dir.h"

namespace polyrail::net {
namespace {

constexpr uint32_t kInUse = 300;  // more than are asked for first
int calls;

ssize_t list(ibv_context*, ibv_gid_entry* entries, size_t room, uint32_t, size_t) {
  calls++;
  if (room < kInUse) return -EINVAL;
  for (uint32_t i = 0; i < kInUse; i++) {
    entries[i] = {};
    entries[i].gid.raw[15] = 1;
    entries[i].gid_index = i / 2, entries[i].port_num = 1 + i % 2, entries[i].gid_type = IBV_GID_TYPE_ROCE_V1;
  }
  return kInUse;
}
ssize_t refuse(ibv_context*, ibv_gid_entry*, size_t, uint32_t, size_t) { return -EOPNOTSUPP; }

struct GidTable : testing::Test {
  GidTable() {
    calls = 0;
    const std::string port = "sys/class/infiniband/rxe0/ports/2/";
    dir.write(port + "gids/7", "fe80:0000:0000:0000:0000:0000:0000:0001\n");
    dir.write(port + "gid_attrs/types/7", "RoCE v2\n");
    dir.write(port + "gid_attrs/ndevs/7", "elsewhere0\n");
  }
  std::vector<GidEntry> gids(ssize_t (*query)(ibv_context*, ibv_gid_entry*, size_t, uint32_t, size_t)) {
    Verbs verbs{};
    verbs.queryGidTable = query;
    ibv_context context{};
    return currentGids(verbs, &context, SysRoot::at(dir.file("")).value(), {"rxe0", 2, LinkLayer::kEthernet});
  }
  test::TempDir dir;
};

TEST_F(GidTable, OneCallTellsThoseOfThePortAndSysTheirTypeAndInterface) {
  const std::vector<GidEntry> table = gids(list);
  ASSERT_EQ(table.size(), kInUse / 2);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(table[6].type, GidType::kRoceV1);
  EXPECT_EQ(table[7].index, 7);
  EXPECT_EQ(table[7].type, GidType::kRoceV2);
  EXPECT_EQ(table[7].netdev, "elsewhere0");
  EXPECT_FALSE(table[7].netdevVisible);
}

TEST_F(GidTable, SysServesWhereTheCallIsMissingOrRefused) {
  for (auto* query : {&refuse, static_cast<decltype(&refuse)>(nullptr)}) {
    const std::vector<GidEntry> table = gids(query);
    ASSERT_EQ(table.size(), 1u);
    EXPECT_EQ(table[0].index, 7);
    EXPECT_EQ(table[0].netdev, "elsewhere0");
  }
}

}  // namespace
}  // namespace polyrail::net
