// SPDX-License-Identifier: Apache-2.0
// What the comparison can and cannot tell apart.
#include "test/check-abi/shape.h"

#include <gtest/gtest.h>

#include "test/check-abi/layout.h"

namespace polyrail::abi {
namespace {

template <typename T>
std::string shape() {
  return Shape<T>::text();
}

struct Pair {
  int a, b;
};
enum class Small : unsigned char { kOne };

TEST(Shape, NamesSizesAndDepth) {
  EXPECT_EQ(shape<int>(), "i4");
  EXPECT_EQ(shape<Small>(), "i1");
  EXPECT_EQ(shape<double[2][3]>(), "[2][3]f8");
  EXPECT_EQ(shape<const char*>(), "*i1");
  EXPECT_EQ(shape<Pair**>(), "**{8}");
  EXPECT_EQ(shape<void>(), "v");
}

TEST(Shape, TellsSignaturesApart) {
  EXPECT_EQ(shape<int (*)(void*, int*)>(), "i4(*v,*i4)");
  EXPECT_EQ(shape<int (*)(void*, size_t*)>(), "i4(*v,*i8)");
  EXPECT_EQ(shape<int (*)(void**, int*)>(), "i4(**v,*i4)");
  EXPECT_EQ(shape<int (*)()>(), "i4()");
  EXPECT_EQ(shape<void (*)(int, const char*, ...)>(), "v(i4,*i1,...)");
  EXPECT_EQ(shape<int (*)(void (*)(float))>(), "i4(v(f4))");
}

TEST(Differences, NameTheMemberAndBothSides) {
  const Layout a{"S", "nccl_S", "", 16, {{"x", 0, 4, "i4"}, {"y", 8, 8, "*i4"}}};
  Layout b = a;
  EXPECT_TRUE(differences(a, b, "here", "there").empty());
  b.size = 24;
  b.members[1] = {"y", 16, 8, "*i8"};
  const std::vector<std::string> expected = {"S: size 16 here, 24 there", "S.y: offset 8 here, 16 there",
                                             "S.y: shape *i4 here, *i8 there"};
  EXPECT_EQ(differences(a, b, "here", "there"), expected);
}

}  // namespace
}  // namespace polyrail::abi
