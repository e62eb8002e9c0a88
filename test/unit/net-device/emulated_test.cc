// SPDX-License-Identifier: Apache-2.0
// Enumeration and opened devices on the emulated verbs.
#include <gtest/gtest.h>

#include "net/device/enumerate.h"
#include "net/device/open_device.h"
#include "net/device/refresh.h"
#include "net/path/path.h"
#include "test/emu/core/world.h"
#include "test/emu/verbs/simulation.h"
#include "test/emu/verbs/verbs_table.h"

namespace polyrail::net {
namespace {

class Emulated : public testing::Test {
 protected:
  explicit Emulated(const emu::Fabric& fabric = emu::defaultFabric()) : sim_(fabric) {}
  void TearDown() override { EXPECT_EQ(sim_.world().census.text(), ""); }

  emu::Simulation sim_;
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

class Partitioned : public Emulated {
 protected:
  static emu::Fabric fabric() {
    emu::Fabric f = emu::defaultFabric();
    for (emu::NicSpec& nic : f.hosts[0].nics) nic.ports[0].pkeys = {0xffff, 0, 0x8007};
    return f;
  }
  Partitioned() : Emulated(fabric()) {}
};

TEST_F(Partitioned, AQueuePairUsesTheIndexOfThePartition) {
  DeviceSettings settings;
  settings.pkey.value = 7;
  const Enumeration found = enumerate(verbs_, root_, settings).value();
  ASSERT_EQ(found.ports.size(), 2u);
  EXPECT_EQ(found.ports[0].pkey.index, 2);
  EXPECT_EQ(found.ports[0].pkey.value, 0x8007);
  const auto device = OpenDevice::open(verbs_, "emu0").value();
  const LocalRail rail = localRail(*device, found.ports[0]);
  ibv_cq* cq = verbs_.createCq(rail.context, 4, nullptr, nullptr, 0);
  {
    Path path;
    ASSERT_TRUE(path.create(verbs_, rail, {}, cq, {2, 2}, 0, 0).ok());
    ibv_qp_attr attributes{};
    ibv_qp_init_attr init{};
    ASSERT_EQ(verbs_.queryQp(path.queuePair(), &attributes, IBV_QP_PKEY_INDEX, &init), 0);
    EXPECT_EQ(attributes.pkey_index, 2);
  }
  verbs_.destroyCq(cq);
}

TEST_F(Partitioned, ATableWithoutThePartitionIsShown) {
  DeviceSettings settings;
  settings.pkey.value = 0x8008;
  const Enumeration found = enumerate(verbs_, root_, settings).value();
  EXPECT_TRUE(found.ports.empty());
  ASSERT_EQ(found.refused.size(), 2u);
  EXPECT_EQ(found.refused[0].reason, "partition key 0x8008 is not in its table (0: 0xffff, 2: 0x8007)");
  EXPECT_EQ(found.refused[0].remedy, "RoCE ports have no partitions; unset NCCL_IB_PKEY_VALUE");
  const auto device = OpenDevice::open(verbs_, "emu0").value();
  Port port = enumerate(verbs_, root_, {}).value().ports[0];
  const Status gone = refreshPort(verbs_, device->context(), root_, settings, &port);
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.message().rfind("emu0:1: partition key 0x8008", 0), 0u) << gone.message();
  EXPECT_TRUE(refreshPort(verbs_, device->context(), root_, {}, &port).ok());
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
