// SPDX-License-Identifier: Apache-2.0
// A path's queue pair has the attributes that settings and rails ask for, in every state, and goes without a trace.
#include <gtest/gtest.h>

#include <cstring>

#include "net/path/path_set.h"
#include "test/emu/verbs/simulation.h"
#include "test/emu/verbs/verbs_table.h"

namespace polyrail::net {
namespace {

emu::Fabric twoHosts(bool ethernet) {
  emu::Fabric fabric;
  for (const char* name : {"a", "b"}) fabric.hosts.push_back({name, std::vector<emu::NicSpec>(1)});
  for (emu::HostSpec& host : fabric.hosts) {
    host.nics[0].ports.resize(1);
    host.nics[0].ports[0].ethernet = ethernet;
  }
  emu::completeFabric(&fabric);
  return fabric;
}

struct Side {
  Side(emu::Simulation& sim, const Verbs& verbs, const char* host, bool ethernet, uint8_t mtu) : v(verbs) {
    sim.setHost(host);
    ibv_device** list = v.getDeviceList(nullptr);
    rail.context = v.openDevice(list[0]);
    v.freeDeviceList(list);
    rail.pd = v.allocPd(rail.context);
    rail.gidIndex = ethernet ? 3 : 0;
    rail.info.link = ethernet ? LinkLayer::kEthernet : LinkLayer::kInfiniBand;
    rail.info.mtu = mtu;
    rail.info.name = std::string(host) + "0:1";
    ibv_gid gid;
    v.queryGid(rail.context, 1, rail.gidIndex, &gid);
    std::memcpy(rail.info.gid.data(), &gid, sizeof gid);
    ibv_port_attr port;
    queryPort(v, rail.context, 1, &port);
    rail.info.lid = port.lid;
    cq = v.createCq(rail.context, 16, nullptr, nullptr, 0);
  }
  ~Side() {
    path.destroy();
    v.destroyCq(cq);
    v.deallocPd(rail.pd);
    v.closeDevice(rail.context);
  }
  ibv_qp_attr query() {
    ibv_qp_attr attr{};
    ibv_qp_init_attr init{};
    EXPECT_EQ(v.queryQp(path.queuePair(), &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_TIMEOUT, &init),
              0);
    return attr;
  }
  const Verbs& v;
  LocalRail rail;
  ibv_cq* cq = nullptr;
  Path path;
};

struct Joined {
  explicit Joined(bool ethernet, const PathSettings& settings = {}, uint8_t mtuB = IBV_MTU_4096)
      : sim(twoHosts(ethernet)), a(sim, verbs, "a", ethernet, IBV_MTU_4096), b(sim, verbs, "b", ethernet, mtuB) {
    EXPECT_TRUE(a.path.create(verbs, a.rail, settings, a.cq, {8, 8}, 0x1abcdef, 0xfffff1).ok());
    EXPECT_TRUE(b.path.create(verbs, b.rail, settings, b.cq, {8, 8}, 77, 2).ok());
    EXPECT_TRUE(a.path.join(b.rail.info, b.path.number(), b.path.firstPsn()).ok());
    EXPECT_TRUE(b.path.join(a.rail.info, a.path.number(), a.path.firstPsn()).ok());
  }
  Verbs verbs = emu::emulatedVerbs();
  emu::Simulation sim;
  Side a, b;
};

TEST(Path, EthernetTakesARouteHeaderAndTheSettings) {
  PathSettings s;
  s.timeout = 17;
  s.retryCount = 5;
  s.serviceLevel = 3;
  s.trafficClass = 106;
  Joined j(true, s);
  const ibv_qp_attr attr = j.a.query();
  EXPECT_EQ(attr.qp_state, IBV_QPS_RTS);
  EXPECT_EQ(attr.timeout, 17);
  EXPECT_EQ(attr.retry_cnt, 5);
  EXPECT_EQ(attr.ah_attr.sl, 3);
  EXPECT_EQ(attr.ah_attr.is_global, 1);
  EXPECT_EQ(attr.ah_attr.grh.traffic_class, 106);
  EXPECT_EQ(attr.ah_attr.grh.sgid_index, 3);
  EXPECT_EQ(attr.ah_attr.grh.flow_label, 0xffff1u) << "20 bits";
  EXPECT_EQ(attr.sq_psn, 0xabcdefu) << "24 bits";
  EXPECT_EQ(attr.rq_psn, 77u);
  EXPECT_EQ(std::memcmp(&attr.ah_attr.grh.dgid, j.b.rail.info.gid.data(), 16), 0);
}

TEST(Path, InfiniBandOfOneSubnetNeedsNone) {
  Joined j(false);
  const ibv_qp_attr attr = j.a.query();
  EXPECT_EQ(attr.ah_attr.is_global, 0);
  EXPECT_EQ(attr.ah_attr.dlid, j.b.rail.info.lid);
}

TEST(Path, MtuIsTheSmallerOfTheTwo) {
  Joined j(true, {}, IBV_MTU_1024);
  EXPECT_EQ(j.a.query().path_mtu, IBV_MTU_1024);
  EXPECT_EQ(j.b.query().path_mtu, IBV_MTU_1024);
  EXPECT_EQ(j.a.path.mtuBytes(), 1024u);
}

TEST(Path, StopsAndGoes) {
  Joined j(true);
  EXPECT_EQ(j.a.path.stop(), 0);
  EXPECT_EQ(j.a.query().qp_state, IBV_QPS_ERR);
  Path moved = std::move(j.a.path);
  EXPECT_EQ(j.a.path.queuePair(), nullptr);
  EXPECT_NE(moved.queuePair(), nullptr);
  const auto before = j.sim.world().census.live;
  moved.destroy();
  moved.destroy();
  EXPECT_EQ(before[4] - j.sim.world().census.live[4], 1) << "queue pairs";
}

TEST(Path, ErrorsNameRailStateAndCause) {
  Joined j(true);
  Path again;
  LocalRail bad = j.a.rail;
  bad.pkeyIndex = 7;
  const Status status = again.create(j.verbs, bad, {}, j.a.cq, {8, 8}, 1, 1);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("a0:1: queue pair"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("INIT: Invalid argument"), std::string::npos) << status.message();
}

TEST(PathSet, RefusesPlansThatDoNotFit) {
  Joined j(true);
  CommOptions o;
  o.verbs = &j.verbs;
  o.rails = {j.a.rail};
  for (const std::vector<PathPlan>& plan : {std::vector<PathPlan>{}, std::vector<PathPlan>{{1, 0}},
                                            std::vector<PathPlan>{{0, 8}}, std::vector<PathPlan>(25)}) {
    PathSet set(o, PathSet::Side::kSender, {8, 8});
    EXPECT_FALSE(set.plan(plan, 4096).ok());
  }
}

TEST(PathSet, DrawsPsnsFromItsSeed) {
  Joined j(true);
  CommOptions o;
  o.rails = {j.a.rail};
  o.seed = 5;
  PathSet one(o, PathSet::Side::kSender, {8, 8}), same(o, PathSet::Side::kSender, {8, 8});
  o.seed = 6;
  PathSet other(o, PathSet::Side::kSender, {8, 8});
  const uint32_t first = one.random();
  EXPECT_EQ(first, same.random());
  EXPECT_NE(first, other.random());
  EXPECT_NE(first, one.random());
}

}  // namespace
}  // namespace polyrail::net
