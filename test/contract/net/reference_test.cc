// SPDX-License-Identifier: Apache-2.0
// The net suite is tested on a reference plugin: every case passes under every ABI version, and each planted defect
// is found by its case, with the sentence that names it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <malloc.h>

#include <map>

#include "test/contract/host/planted_net.h"

namespace polyrail::contract {
namespace {

std::string letters(std::string name) {
  for (char& c : name)
    if (!isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

class NetReference : public testing::TestWithParam<std::tuple<const NetCase*, int>> {};
INSTANTIATE_TEST_SUITE_P(Net, NetReference, testing::Combine(testing::ValuesIn(allNetCases()), testing::Range(6, 13)),
                         [](const auto& run) {
                           return letters(std::get<0>(run.param)->name) + "_v" +
                                  std::to_string(std::get<1>(run.param));
                         });

TEST_P(NetReference, KeepsTheContract) {
  const auto& [netCase, abi] = GetParam();
  const CaseResult result = runCase(*netCase, {.plugin = referenceNet(), .abi = abi, .share = abi == 12 ? 1u : 4u});
  const bool canFuse = abi >= 9 || std::string(netCase->name) != "virtual-devices";
  EXPECT_EQ(result.verdict, canFuse ? CaseVerdict::kPassed : CaseVerdict::kSkipped) << result.text << result.said;
}

TEST(NetReferenceRanks, SixteenAsThreadsAndAsProcesses) {
  for (const NetCase* one : allNetCases()) {
    if (!std::string(one->name).starts_with("ring-of-")) continue;
    const CaseResult result = runCase(*one, {.plugin = referenceNet(), .ranks = 16, .share = 2});
    EXPECT_EQ(result.verdict, CaseVerdict::kPassed) << one->name << ": " << result.text;
  }
}

class PlantedNet : public testing::TestWithParam<Planted> {};
INSTANTIATE_TEST_SUITE_P(Net, PlantedNet, testing::ValuesIn(plantedDefects().begin(), plantedDefects().end()),
                         [](const auto& planted) { return letters(planted.param.defect); });

TEST_P(PlantedNet, IsFound) {
  if (std::string(GetParam().defect) == "leaked-memory" && mallinfo2().uordblks == 0)
    GTEST_SKIP() << "this allocator does not count its memory";
  const CaseResult result = runPlanted(GetParam());
  EXPECT_EQ(result.verdict, CaseVerdict::kFailed);
  EXPECT_THAT(result.text, testing::HasSubstr(GetParam().finding));
}

// Without its defect the planted copy is the reference, so what is found is the defect.
TEST(PlantedNetLayer, IsSoundWithoutADefect) {
  std::map<std::string, std::string> found;
  for (const Planted& planted : plantedDefects())
    if (!found.contains(planted.foundBy)) found[planted.foundBy] = runPlanted({"none", planted.foundBy, ""}).text;
  for (const auto& [name, text] : found) EXPECT_EQ(text, "") << name;
}

// A file that is no plugin is a finding, not a crash.
TEST(NetSuite, AFileThatIsMissingIsAFinding) {
  const CaseResult result = runCase(*allNetCases()[0], {.plugin = "/nonexistent.so"});
  EXPECT_THAT(result.text, testing::HasSubstr("nonexistent"));
}

}  // namespace
}  // namespace polyrail::contract
