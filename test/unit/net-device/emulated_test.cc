// SPDX-License-Identifier: Apache-2.0
// Enumeration and opened devices on the emulated verbs.
#include <gtest/gtest.h>

#include "net/device/enumerate.h"
#include "net/device/gid_table.h"
#include "net/device/open_device.h"
#include "test/emu/core/world.h"
#include "test/emu/verbs/simulation.h"
#include "test/emu/verbs/verbs_table.h"

namespace polyrail::net {
namespace {

class Emulated : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(sim_.world().census.text(), ""); }

  emu::Simulation sim_{emu::defaultFabric()};
  Verbs verbs_ = emu::emulatedVerbs();
  SysRoot root_ = SysRoot::live();
};

TEST_F(Emulated, BothRailsAreFoundAndNothingStaysOpen) {
  const Result<Enumeration> found = enumerate(verbs_, root_, {});
  ASSERT_TRUE(found.ok()) << found.message();
  ASSERT_EQ(found.value().ports.size(), 2u) << (found.value().refused.empty() ? "" : found.value().refused[0].reason);
  const Port& port = found.value().ports[0];
  EXPECT_EQ(port.name(), "emu0:1");
  EXPECT_EQ(port.link, LinkLayer::kEthernet);
  EXPECT_EQ(port.speedMbps, 100'000u);
  EXPECT_EQ(port.mtu, IBV_MTU_4096);
  EXPECT_EQ(port.gid.index, 3);
  EXPECT_GT(port.limits.maxQp, 0);
  EXPECT_NE(port.subnetPrefix, found.value().ports[1].subnetPrefix);
}

TEST_F(Emulated, TheFilterAndTheFixedIndexAreObeyed) {
  DeviceSettings settings;
  settings.hcaText = "=emu1:1:7:2,emu9";
  settings.hca = parseHcaFilter(settings.hcaText).value();
  settings.gidOverrides = {{"emu1", -1, 2}};
  const Enumeration found = enumerate(verbs_, root_, settings).value();
  ASSERT_EQ(found.ports.size(), 1u);
  EXPECT_EQ(found.ports[0].rail, 7);
  EXPECT_EQ(found.ports[0].plane, 2);
  EXPECT_EQ(found.ports[0].gid.index, 2);
  ASSERT_EQ(found.refused.size(), 1u);
  EXPECT_EQ(found.refused[0].reason, "NCCL_IB_HCA==emu1:1:7:2,emu9 leaves it out");
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_NE(found.warnings[0].find("emu9"), std::string::npos);
}

TEST_F(Emulated, ADeviceIsOpenedOnceAndClosedWithItsLastUser) {
  auto first = OpenDevice::open(verbs_, "emu0").value();
  auto second = OpenDevice::open(verbs_, "emu0").value();
  EXPECT_EQ(first.get(), second.get());
  EXPECT_NE(OpenDevice::open(verbs_, "emu1").value().get(), first.get());
  ibv_async_event event;
  EXPECT_EQ(verbs_.getAsyncEvent(first->context(), &event), -1);  // does not block
  first.reset();
  EXPECT_NE(second->pd(), nullptr);
  second.reset();
  const auto none = OpenDevice::open(verbs_, "emu7");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.message(), "emu7: no such device");
}

}  // namespace
}  // namespace polyrail::net
