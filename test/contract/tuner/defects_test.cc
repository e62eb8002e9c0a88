// SPDX-License-Identifier: Apache-2.0
// Every defect that can be planted in the reference plugin is found by the host, with the sentence that names it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "test/contract/host/child.h"
#include "test/contract/host/expectation.h"

namespace polyrail::contract {
namespace {

struct Defect {
  const char* name;
  const char* release;
  const char* finding;
  CommShape shape = {};
  Call call = {.bytes = 64 << 20};
};

const Defect kDefects[] = {
    {"allows-ignored", "2.30", "became eligible"},
    {"writes-minus-one", "2.31", "a negative entry wins"},
    {"writes-minus-one", "2.22", "a negative entry wins"},
    {"tie", "2.30", "relies on a tie"},
    {"not-a-number", "2.24", "not a number"},
    {"past-the-table", "2.22", "wrote outside the table"},
    {"past-the-table", "2.28", "wrote outside the table"},
    {"128-channels", "2.30", "an 8-bit field"},
    {"chunk-below-grain", "2.30", "divides by zero"},
    {"unchecked", "2.21", "unchecked", {.nodes = 1}},
    {"fails-unknown", "2.30", "NCCL fails the collective", {}, {.collective = 11, .bytes = 1024}},
};

const NcclRelease& release(const std::string& name) {
  for (const NcclRelease& r : kNcclReleases)
    if (r.name == name) return r;
  abort();
}

std::string referencePlugin() { return std::string(getenv("POLYRAIL_BUILD")) + "/test/plugins/reference_tuner.so"; }

class Planted : public testing::TestWithParam<Defect> {
 protected:
  void SetUp() override { setenv("REFERENCE_TUNER_DEFECT", GetParam().name, 1); }
  void TearDown() override { unsetenv("REFERENCE_TUNER_DEFECT"); }
};
INSTANTIATE_TEST_SUITE_P(Tuner, Planted, testing::ValuesIn(kDefects), [](const auto& planted) {
  std::string name = std::string(planted.param.name) + "_" + planted.param.release;
  for (char& c : name)
    if (!isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

TEST_P(Planted, IsFound) {
  Result<TunerHost> host = TunerHost::load(referencePlugin(), release(GetParam().release), nullptr);
  ASSERT_TRUE(host.ok()) << host.message();
  Result<Communicator> comm = host.value().create(GetParam().shape);
  ASSERT_TRUE(comm.ok()) << comm.message();
  const Outcome outcome = host.value().ask(comm.value(), GetParam().call);
  EXPECT_THAT(outcome.faults, testing::Contains(testing::HasSubstr(GetParam().finding)));
  host.value().destroy(comm.value());
}

// The reference plugin's one rule as a policy: what departs from it is told by comparison.
Policy referencePolicy() {
  Rule rule;
  rule.from = 1 << 20;
  rule.choices.emplace_back().channels = 4;
  Table table;
  table.rules.push_back(rule);
  Policy policy;
  policy.tables.push_back(table);
  return policy;
}

std::vector<std::string> departuresWith(const char* defect, size_t bytes) {
  setenv("REFERENCE_TUNER_DEFECT", defect, 1);
  Result<TunerHost> host = TunerHost::load(referencePlugin(), release("2.30"), nullptr);
  Result<Communicator> comm = host.value().create({});
  const Call call{.bytes = bytes};
  const Outcome outcome = host.value().ask(comm.value(), call);
  host.value().destroy(comm.value());
  unsetenv("REFERENCE_TUNER_DEFECT");
  return departures(referencePolicy(), host.value(), comm.value().shape, call, outcome);
}

TEST(PlantedDeparture, IsFoundByComparisonWithThePolicy) {
  EXPECT_THAT(departuresWith("", 64 << 20), testing::IsEmpty());
  EXPECT_THAT(departuresWith("", 1024), testing::IsEmpty());
  EXPECT_THAT(departuresWith("zero-time", 64 << 20), testing::Contains(testing::HasSubstr("the entry says 0 us")));
  EXPECT_THAT(departuresWith("always-one-channel", 1024), testing::Contains(testing::HasSubstr("something changed")));
  EXPECT_THAT(departuresWith("other-choice", 64 << 20), testing::Contains(testing::HasSubstr("NCCL picks")));
}

TEST(PlantedAtInit, AFailureFailsTheCommunicator) {
  setenv("REFERENCE_TUNER_DEFECT", "init-fails", 1);
  Result<TunerHost> host = TunerHost::load(referencePlugin(), release("2.30"), nullptr);
  EXPECT_FALSE(host.value().create({}).ok());
  unsetenv("REFERENCE_TUNER_DEFECT");
}

TEST(PlantedAtInit, ACallToNoLoggerIsACrashThatAChildContains) {
  const ChildResult child = runInFork(
      [] {
        setenv("REFERENCE_TUNER_DEFECT", "null-logger", 1);
        Result<TunerHost> host = TunerHost::load(referencePlugin(), release("2.24"), nullptr);
        return host.value().create({}).ok() ? "lived" : "failed";
      },
      std::chrono::seconds(10));
  EXPECT_FALSE(child.ok());
}

}  // namespace
}  // namespace polyrail::contract
