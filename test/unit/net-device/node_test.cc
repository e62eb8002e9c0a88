// SPDX-License-Identifier: Apache-2.0
// The list of devices that NCCL sees, and what it may fuse.
#include "net/device/node.h"
#include "net/device/siblings.h"

#include <gmock/gmock.h>

namespace polyrail::net {
namespace {

using testing::HasSubstr;
using Members = std::vector<int>;

Port port(const std::string& device, const std::string& pci, int numa = 0) {
  Port p;
  p.device = device;
  p.pciPath = "/sys/devices/pci0000:00/" + pci;
  p.speedMbps = 100'000;
  p.numaNode = numa;
  p.gpuDirect.dmaBuf = true;
  p.limits.maxQp = 1000;
  return p;
}

// Two ports of a card, one card below the same switch, one below the same root, one on another socket.
std::vector<Port> fivePorts() {
  std::vector<Port> ports = {port("a", "0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:03:00.0"),
                             port("b", "0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:03:00.0"),
                             port("c", "0000:00:01.0/0000:01:00.0/0000:02:01.0/0000:04:00.0"),
                             port("d", "0000:00:02.0/0000:05:00.0"), port("e", "0000:00:03.0/0000:06:00.0", 1)};
  ports[1].realPort = 1;
  ports[4].pciPath = "/sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0";
  return ports;
}

Node node(Node::Fusion fusion, const DeviceSettings& settings = {}, std::vector<Port> ports = fivePorts()) {
  const Locality locality = findLocality(ports, SysRoot::live());
  return Node(std::move(ports), settings, fusion, locality);
}

std::vector<std::string> names(const Node& n) {
  std::vector<std::string> all;
  for (int i = 0; i < n.physicals(); i++) all.push_back(n.device(i)->name);
  return all;
}

TEST(Siblings, TheNearestComeFirst) {
  const std::vector<Port> ports = fivePorts();
  const Locality locality = sysfsLocality(ports);
  const auto of = [&](std::vector<int> own, size_t most) { return siblingsOf(own, ports, locality, most); };
  EXPECT_EQ(of({0}, 7), (Members{1, 2, 3, 4}));
  EXPECT_EQ(of({4}, 7), (Members{0, 1, 2, 3}));
  EXPECT_EQ(of({2}, 2), (Members{0, 1}));
  EXPECT_EQ(of({0, 1}, 7), (Members{2, 3, 4}));
  EXPECT_TRUE(of({0}, 0).empty());
}

TEST(Siblings, AreOfOneLinkLayerAndOnAnotherCable) {
  std::vector<Port> ports = fivePorts();
  ports[2].link = LinkLayer::kInfiniBand;
  ports[4].device = "a";  // the data-direct interface of the first
  ports[4].dataDirect = true;
  const int own = 0;
  EXPECT_EQ(siblingsOf({&own, 1}, ports, sysfsLocality(ports), 7), (Members{1, 3}));
}

TEST(Node, PhysicalDevicesAreThePorts) {
  const Node n = node(Node::Fusion::kByNccl);
  EXPECT_EQ(names(n), (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(n.device(1)->port, 2);
  EXPECT_EQ(n.device(0)->members, Members{0});
  EXPECT_EQ(n.device(0)->ptrSupport, nccl::kPtrHost | nccl::kPtrDmaBuf);
  EXPECT_EQ(n.device(5), nullptr);
  EXPECT_EQ(n.device(-1), nullptr);
}

TEST(Node, FusesUpToWhatTheVersionCarries) {
  Node n = node(Node::Fusion::kByNccl);
  NodeView view;
  EXPECT_FALSE(n.fuse(Members{0, 1, 2, 3, 4}, 4, &view).ok());
  const Result<int> made = n.fuse(Members{0, 1, 2, 3, 4}, 8, &view);
  ASSERT_TRUE(made.ok()) << made.message();
  EXPECT_EQ(made.value(), 5);
  EXPECT_EQ(n.count(view), 6);
  const NodeDevice& d = *n.device(5);
  EXPECT_EQ(d.name, "a+b+c+d+e");
  EXPECT_EQ(d.speedMbps, 500'000u);
  EXPECT_EQ(d.ports.size(), 5u);
}

TEST(Node, RefusesWhatMakesNoSense) {
  std::vector<Port> ports = fivePorts();
  ports[2].link = LinkLayer::kInfiniBand;
  Node n = node(Node::Fusion::kByNccl, {}, ports);
  NodeView view;
  for (const Members& bad : {Members{}, Members{0, 0}, Members{0, 5}, Members{-1}, Members{0, 2}})
    EXPECT_FALSE(n.fuse(bad, 8, &view).ok());
  EXPECT_EQ(view.virtuals, 0);
  DeviceSettings off;
  off.mergeNics = false;
  Node none = node(Node::Fusion::kByNccl, off);
  EXPECT_THAT(none.fuse(Members{0, 1}, 8, &view).message(), HasSubstr("NCCL_IB_MERGE_NICS"));
}

// The second copy of NCCL in a process must not take the first one's virtual devices for cards.
TEST(Node, TwoCopiesOfNcclCountForThemselves) {
  Node n = node(Node::Fusion::kByNccl);
  NodeView one, two;
  EXPECT_EQ(n.fuse(Members{0, 1}, 8, &one).value(), 5);
  EXPECT_EQ(n.fuse(Members{2, 3}, 8, &one).value(), 6);
  EXPECT_EQ(n.count(two), 5);
  EXPECT_EQ(n.fuse(Members{0, 1}, 8, &two).value(), 5);
  EXPECT_EQ(n.count(two), 6);
  EXPECT_FALSE(n.fuse(Members{3, 4}, 8, &two).ok()) << "number 6 is the first copy's, with other members";
  EXPECT_EQ(n.fuse(Members{2, 3}, 8, &two).value(), 6);
}

TEST(Node, OldNcclGetsThePortsOfACardAsOne) {
  EXPECT_EQ(names(node(Node::Fusion::kByUs)), (std::vector<std::string>{"a+b", "c", "d", "e"}));
}

TEST(Node, OldNcclGetsMoreWhenTheUserSaysSo) {
  DeviceSettings s;
  s.mergeLevelAsked = true;
  s.mergeLevel = Distance::kSelf;
  EXPECT_EQ(names(node(Node::Fusion::kByUs, s)).size(), 5u);
  s.mergeLevel = Distance::kPxb;
  EXPECT_EQ(names(node(Node::Fusion::kByUs, s)), (std::vector<std::string>{"a+b+c", "d", "e"}));
  s.mergeLevel = Distance::kPhb;
  EXPECT_EQ(names(node(Node::Fusion::kByUs, s)), (std::vector<std::string>{"a+b+c+d", "e"}));
  s.mergeLevel = Distance::kSys;
  EXPECT_EQ(names(node(Node::Fusion::kByUs, s)), (std::vector<std::string>{"a+b+c+d+e"}));
  s.mergeWithinRail = true;
  EXPECT_EQ(names(node(Node::Fusion::kByUs, s)).size(), 5u);
}

TEST(Node, AFusedDeviceCanOnlyWhatAllItsRailsCan) {
  std::vector<Port> ports = fivePorts();
  ports[1].gpuDirect.dmaBuf = false;
  ports[1].limits.maxQp = 10;
  const Node n = node(Node::Fusion::kByUs, {}, ports);
  EXPECT_EQ(n.device(0)->ptrSupport, nccl::kPtrHost);
  EXPECT_EQ(n.device(0)->maxComms, 10);
}

}  // namespace
}  // namespace polyrail::net
