// SPDX-License-Identifier: Apache-2.0
// The tests' own Process: what its children write at once must all be there, or a test that counts lines fails at
// random.
#include "test/unit/emu-programs/process.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace polyrail::emu {
namespace {

TEST(Process, ChildrenThatWriteAtOnceLoseNoLine) {
  const char* writers =
      "for w in 1 2 3 4; do (i=0; while [ $i -lt 2000 ]; do echo line; i=$((i+1)); done) & done; wait";
  Process shell({"sh", "-c", writers}, {});
  ASSERT_EQ(shell.wait(120), 0);
  const std::string text = shell.output();
  EXPECT_EQ(text.size(), 8000 * sizeof("line"));  // its end of line counts as its null does
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 8000);
}

}  // namespace
}  // namespace polyrail::emu
