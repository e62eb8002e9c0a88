// SPDX-License-Identifier: Apache-2.0
// Every defect that can be planted in the reference plugin is found by the host, with the sentence that names it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "test/contract/host/log_sink.h"
#include "test/contract/host/tuner_host.h"

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
  const std::string plugin = std::string(getenv("POLYRAIL_BUILD")) + "/test/plugins/reference_tuner.so";
  Result<TunerHost> host = TunerHost::load(plugin, release(GetParam().release), nullptr);
  ASSERT_TRUE(host.ok()) << host.message();
  Result<Communicator> comm = host.value().create(GetParam().shape);
  ASSERT_TRUE(comm.ok()) << comm.message();
  const Outcome outcome = host.value().ask(comm.value(), GetParam().call);
  EXPECT_THAT(outcome.faults, testing::Contains(testing::HasSubstr(GetParam().finding)));
  host.value().destroy(comm.value());
}

}  // namespace
}  // namespace polyrail::contract
