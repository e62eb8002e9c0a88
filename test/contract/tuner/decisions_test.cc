// SPDX-License-Identifier: Apache-2.0
// docs/versioning.md: the same policy bytes and the same call give the same choice in every PATCH of a MINOR. The
// digests of decisions.txt were printed by `tuner-decisions PLUGIN 1` under decisions.json; a change of them is a
// change of the choices (or of the calls that the host makes), belongs in the changelog, and is written anew with
// that command.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "test/contract/host/child.h"
#include "test/contract/tuner/plugin_under_test.h"

namespace polyrail::contract {
namespace {

std::string besideThis(const std::string& name) {
  return std::string(getenv("POLYRAIL_TOP")) + "/test/contract/tuner/" + name;
}

TEST(TunerDecisions, AreThoseOfThisMinor) {
  std::ifstream file(besideThis("decisions.txt"));
  const std::string agreed{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(agreed.empty());
  const std::string program = std::string(getenv("POLYRAIL_BUILD")) + "/test/tuner-decisions";
  const ChildResult now =
      runProgram({{program, tunerPlugin(), "1"}, {"POLYRAIL_POLICY=" + besideThis("decisions.json")}, ""},
                 std::chrono::seconds(120));
  ASSERT_TRUE(now.ok()) << now.output;
  EXPECT_EQ(now.output, agreed);
}

}  // namespace
}  // namespace polyrail::contract
