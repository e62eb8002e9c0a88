// SPDX-License-Identifier: Apache-2.0
// What ConnectX cards have beyond verbs, a data-direct function and bonds whose cables can be chosen, on the emulated
// verbs and a double of libmlx5's functions.
#include <gmock/gmock.h>

#include "net/device/enumerate.h"
#include "net/device/node.h"
#include "net/device/open_device.h"
#include "test/emu/verbs/mlx5_double.h"
#include "test/emu/verbs/simulation.h"
#include "test/emu/verbs/verbs_table.h"

namespace polyrail::net {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kFunction[] = "/devices/pci0000:90/0000:91:00.0";

class Mlx5Card : public testing::Test {
 protected:
  Mlx5Card() { emu::mlx5Double.dataDirect["emu0"] = kFunction; }
  std::vector<Port> ports(int setting) {
    DeviceSettings settings;
    settings.dataDirect = setting;
    return enumerate(verbs_, SysRoot::live(), settings, mlx5_).value().ports;
  }
  std::vector<std::string> names(int setting) {
    std::vector<std::string> all;
    for (const Port& p : ports(setting)) all.push_back(p.name());
    return all;
  }

  emu::Simulation sim_{emu::defaultFabric()};
  Verbs verbs_ = emu::emulatedVerbs();
  Mlx5 mlx5_ = emu::emulatedMlx5();
};

TEST_F(Mlx5Card, DataDirectStandsInPlaceOfTheUsualInterfaceOrBesideIt) {
  EXPECT_THAT(names(0), ElementsAre("emu0:1", "emu1:1"));
  EXPECT_THAT(names(1), ElementsAre("emu0_dma:1", "emu1:1"));
  EXPECT_THAT(names(2), ElementsAre("emu0:1", "emu0_dma:1", "emu1:1"));
}

TEST_F(Mlx5Card, DataDirectHasItsOwnPlaceAndForcesFlushes) {
  const std::vector<Port> both = ports(2);
  EXPECT_EQ(both[1].pciPath, std::string("/sys") + kFunction);
  EXPECT_EQ(both[1].device, "emu0") << "verbs' name";
  EXPECT_EQ(both[1].gid.gid, both[0].gid.gid);
  const Node node(both, {}, Node::Fusion::kByNccl, {});
  EXPECT_FALSE(node.device(0)->forceFlush);
  EXPECT_TRUE(node.device(1)->forceFlush);
  EXPECT_EQ(node.device(1)->name, "emu0_dma");
  EXPECT_EQ(node.device(1)->pciPath, both[1].pciPath);
}

TEST_F(Mlx5Card, DataDirectNeedsTheVendorAndTheVerb) {
  emu::mlx5Double.foreign = {"emu0"};
  EXPECT_THAT(names(1), ElementsAre("emu0:1", "emu1:1"));
  emu::mlx5Double.foreign.clear();
  emu::mlx5Double.registerError = EOPNOTSUPP;
  EXPECT_THAT(names(1), ElementsAre("emu0:1", "emu1:1"));
  emu::mlx5Double.registerError = 0;
  mlx5_.getDataDirectSysfsPath = nullptr;
  EXPECT_THAT(names(1), ElementsAre("emu0:1", "emu1:1"));
  mlx5_ = {};
  EXPECT_THAT(names(1), ElementsAre("emu0:1", "emu1:1"));
}

TEST_F(Mlx5Card, AFailureIsSaidAndTheUsualInterfaceServes) {
  emu::mlx5Double.pathError = EIO;
  const std::vector<Port> found = ports(1);
  EXPECT_EQ(found[0].name(), "emu0:1");
  EXPECT_THAT(found[0].notes, Contains(HasSubstr("data-direct interface is not used: Input/output error")));
}

TEST_F(Mlx5Card, QueuePairsOfABondArePlacedOnItsCables) {
  Port port = ports(0)[0];
  const auto device = OpenDevice::open(verbs_, port.device).value();
  EXPECT_EQ(localRail(*device, port, mlx5_).placement.count, 0);
  port.bond = Bond{"bond0", "802.3ad", {"eth0", "eth1"}};
  const Placement two = localRail(*device, port, mlx5_).placement;
  EXPECT_EQ(two.count, 2);
  EXPECT_EQ(two.slaves, &device->slaves());
  EXPECT_EQ(localRail(*device, port).placement.count, 0) << "no libmlx5";
  emu::mlx5Double.foreign = {"emu0"};
  EXPECT_EQ(localRail(*device, port, mlx5_).placement.count, 0) << "another vendor's";
}

}  // namespace
}  // namespace polyrail::net
