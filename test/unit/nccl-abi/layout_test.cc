// SPDX-License-Identifier: Apache-2.0
// Pins common/nccl to the numbers in test/check-abi/table: size, offset, size, shape and order of every member per
// ABI version, and the constants.
#include <gtest/gtest.h>

#include <set>

#include "test/check-abi/ours.h"

namespace polyrail::abi {
namespace {

// The third side of the table: the numbers as they are written.
Abi pinned() {
  Abi abi;
#define STRUCT(OURS, NCCL, SIZE, TAG) \
  {                                   \
    Layout layout{#OURS, #NCCL, TAG, SIZE};
#define MEMBER(NAME, OFFSET, SIZE, SHAPE) layout.members.push_back({#NAME, OFFSET, SIZE, SHAPE});
#define RENAMED(NAME, NCCL_NAME, OFFSET, SIZE, SHAPE) MEMBER(NAME, OFFSET, SIZE, SHAPE)
#define END                      \
  abi.layouts.push_back(layout); \
  }
#define FUNCTION(OURS, NCCL, SHAPE, TAG) abi.layouts.push_back({#OURS, #NCCL, TAG, 8, {{"()", 0, 8, SHAPE}}});
#define CONSTANT(OURS, NCCL, VALUE, TAG) abi.constants.push_back({#OURS, #NCCL, VALUE});
#include ABI_TABLE
#undef STRUCT
#undef MEMBER
#undef RENAMED
#undef END
#undef FUNCTION
#undef CONSTANT
  return abi;
}

TEST(NcclAbi, EveryMemberLiesWhereNcclPutIt) {
  const Abi mine = ours(), table = pinned();
  ASSERT_EQ(mine.layouts.size(), table.layouts.size());
  for (size_t i = 0; i < mine.layouts.size(); i++)
    for (const std::string& one : differences(mine.layouts[i], table.layouts[i], "in polyrail", "in the table"))
      ADD_FAILURE() << one;
}

TEST(NcclAbi, ConstantsAreNccls) {
  const Abi mine = ours(), table = pinned();
  ASSERT_GT(table.constants.size(), 60u);
  for (size_t i = 0; i < mine.constants.size(); i++)
    EXPECT_EQ(mine.constants[i].value, table.constants[i].value) << mine.constants[i].name;
}

// A member left out of the table would leave a hole that is wider than padding can be.
TEST(NcclAbi, TheTableLeavesOutNoMember) {
  for (const Layout& layout : ours().layouts) {
    size_t end = 0;
    for (const Member& member : layout.members) {
      const size_t alignment = member.shape == "i4" ? 4 : 8;
      EXPECT_GE(member.offset, end) << layout.name << "." << member.name << " is out of order";
      EXPECT_LT(member.offset - end, alignment) << layout.name << ": something lies before " << member.name;
      end = member.offset + member.size;
    }
    EXPECT_LT(layout.size - end, 8u) << layout.name << ": something lies at the end";
  }
}

TEST(NcclAbi, EveryVersionIsComparedWithItsOwnNumber) {
  std::multiset<std::string> pairs;
  for (const Layout& layout : pinned().layouts) pairs.insert(layout.name + " " + layout.nccl);
  const auto expectOnce = [&](const std::string& ours, const std::string& nccl, int version) {
    const std::string number = std::to_string(version);
    EXPECT_EQ(pairs.count(ours + number + " " + nccl + number + "_t"), 1u) << ours << number;
  };
  for (int v = 6; v <= 12; v++) expectOnce("NetV", "ncclNet_v", v);
  for (int v = 6; v <= 12; v++) expectOnce("NetPropertiesV", "ncclNetProperties_v", v);
  for (int v = 2; v <= 6; v++) expectOnce("TunerV", "ncclTuner_v", v);
}

}  // namespace
}  // namespace polyrail::abi
