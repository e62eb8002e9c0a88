// SPDX-License-Identifier: Apache-2.0
// Each injected fault: what is said of it names the right rail, peer and cause.
#include <gtest/gtest.h>

#include "test/unit/net-report/fault_cases.h"

namespace polyrail::net {
namespace {

class EachFault : public testing::TestWithParam<FaultCase> {};
INSTANTIATE_TEST_SUITE_P(OfTheEmulator, EachFault, testing::ValuesIn(allFaultCases()), [](const auto& fault) {
  std::string name = fault.param.name;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

TEST_P(EachFault, OnOneRailIsALineWithRailPeerAndCause) {
  std::string said;
  EXPECT_EQ(judgeSurvived(GetParam(), &said), "") << said;
}

TEST_P(EachFault, OnAllRailsIsAReportAtBothEnds) {
  std::string said;
  EXPECT_EQ(judgeEnded(GetParam(), &said), "") << said;
}

}  // namespace
}  // namespace polyrail::net
