// SPDX-License-Identifier: Apache-2.0
// The conformance suite in real time, within one process and with its NIC thread: also under the sanitizers.
#include <gtest/gtest.h>

#include <cstdlib>

#include "test/unit/emu-programs/process.h"

namespace polyrail::emu {
namespace {

TEST(Conformance, EveryCasePasses) {
  const std::string program = std::string(std::getenv("POLYRAIL_BUILD")) + "/emu/verbs-conformance";
  Process p({program, "emu0", "emu1", "3"}, emulated("a"));
  EXPECT_EQ(p.wait(300), 0) << p.output();
  EXPECT_NE(p.output().find(" passed, 0 failed"), std::string::npos) << p.output();
}

TEST(Conformance, AWrongFabricIsExplained) {
  const std::string program = std::string(std::getenv("POLYRAIL_BUILD")) + "/emu/verbs-conformance";
  Process p({program, "emu0", "emu1", "3"}, emulated("nobody"));
  EXPECT_NE(p.wait(60), 0);
  EXPECT_NE(p.output().find("EMU_HOST: no host is called 'nobody'"), std::string::npos) << p.output();
}

}  // namespace
}  // namespace polyrail::emu
