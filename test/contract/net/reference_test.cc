// SPDX-License-Identifier: Apache-2.0
// The net suite is tested on a reference plugin: every case passes under every ABI version, and each planted defect
// is found by a case, with the sentence that names it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "test/contract/host/net_cases.h"

namespace polyrail::contract {
namespace {

std::string referencePlugin() { return std::string(getenv("POLYRAIL_BUILD")) + "/test/plugins/reference_net.so"; }

std::vector<const NetCase*> allCases() {
  std::vector<const NetCase*> all;
  for (const auto& some : {setUpCases(), trafficCases(), endingCases(), lifeCycleCases()})
    for (const NetCase& one : some) all.push_back(&one);
  return all;
}

const NetCase& caseNamed(const std::string& name) {
  for (const NetCase* one : allCases())
    if (one->name == name) return *one;
  abort();
}

std::string letters(std::string name) {
  for (char& c : name)
    if (!isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

class NetReference : public testing::TestWithParam<std::tuple<const NetCase*, int>> {};
INSTANTIATE_TEST_SUITE_P(Net, NetReference, testing::Combine(testing::ValuesIn(allCases()), testing::Range(6, 13)),
                         [](const auto& run) {
                           return letters(std::get<0>(run.param)->name) + "_v" +
                                  std::to_string(std::get<1>(run.param));
                         });

TEST_P(NetReference, KeepsTheContract) {
  const auto& [netCase, abi] = GetParam();
  const CaseResult result = runCase(*netCase, {.plugin = referencePlugin(), .abi = abi});
  EXPECT_EQ(result.verdict, CaseVerdict::kPassed) << result.text;
}

TEST(NetReferenceRanks, SixteenAsThreadsAndAsProcesses) {
  for (const char* name : {"ring-of-threads", "ring-of-processes"}) {
    const CaseResult result = runCase(caseNamed(name), {.plugin = referencePlugin(), .ranks = 16});
    EXPECT_EQ(result.verdict, CaseVerdict::kPassed) << result.text;
  }
}

struct Planted {
  const char* defect;
  const char* foundBy;
  const char* finding;
};
const Planted kPlanted[] = {
    {"lost-byte", "every-size", "is wrong"},
    {"wrong-size", "every-size", "was reported as"},
    {"double-completion", "many-messages", "is wrong"},
    {"late-write", "many-messages", "after its receive was done"},
    {"torn-line", "optional-completion", "was torn"},
    {"overrun", "every-size", "behind the end of a message"},
    {"wrong-tag", "shared-comm", ""},
    {"zero-never", "empty-messages", "did not arrive in time"},
    {"keeps-mark", "optional-completion", "the mark for optional completion"},
    {"stale-isend", "many-messages", "left *request as it was"},
    {"flush-pairs", "shared-comm", "iflush returned"},
    {"blocking-connect", "self-connection", "blocked"},
    {"no-ndevs", "properties", "vProps.ndevs is not set"},
    {"slow-close", "close-in-flight", "closeRecv blocked"},
    {"leak", "load-and-unload", "files stay open"},
    {"thread-left", "load-and-unload", "a thread lives on"},
};

class PlantedNet : public testing::TestWithParam<Planted> {
 protected:
  void SetUp() override { setenv("REFERENCE_NET_DEFECT", GetParam().defect, 1); }
  void TearDown() override { unsetenv("REFERENCE_NET_DEFECT"); }
};
INSTANTIATE_TEST_SUITE_P(Net, PlantedNet, testing::ValuesIn(kPlanted),
                         [](const auto& planted) { return letters(planted.param.defect); });

TEST_P(PlantedNet, IsFound) {
  const CaseContext context = {.plugin = referencePlugin(), .patience = std::chrono::milliseconds(1500)};
  const CaseResult result = runCase(caseNamed(GetParam().foundBy), context);
  EXPECT_EQ(result.verdict, CaseVerdict::kFailed);
  EXPECT_THAT(result.text, testing::HasSubstr(GetParam().finding));
}

}  // namespace
}  // namespace polyrail::contract
