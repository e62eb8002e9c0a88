// SPDX-License-Identifier: Apache-2.0
// Faults in the rxe profiles: the statuses and events that the kernel's Soft-RoCE was seen to give.
#include <cstring>

#include "test/unit/emu/pair.h"

namespace polyrail::emu {
namespace {

using Names = std::vector<std::string>;
using Events = std::vector<ibv_event_type>;

Fabric profiled(const char* name, bool cabled = true) {
  Fabric fabric;
  fabric.profile = findProfile(name);
  for (const char* host : {"a", "b"}) fabric.hosts.push_back({host, std::vector<NicSpec>(2)});
  for (HostSpec& host : fabric.hosts)
    for (NicSpec& nic : host.nics) nic.ports.resize(1);
  completeFabric(&fabric);
  if (cabled) fabric.cables = {{"a/emu0", "b/emu0"}, {"a/emu1", "b/emu1"}};
  return fabric;
}

PairOptions onRxe() {
  PairOptions o;
  o.gidIndex = 1;
  o.timeout = 12;
  return o;
}

void post64(Pair& p) {
  for (uint64_t i = 0; i < 64; i++) ASSERT_EQ(p.a.write(i, p.b, 100000), 0);
}

TEST(Fault, Rxe61SenderDown) {
  Pair p(onRxe(), profiled("rxe-6.1"), faults(R"([{"at": "200us", "do": "port_down", "target": "a/emu0"}])"));
  post64(p);
  Names seen = statuses(p.wait(p.a, 64));
  while (!seen.empty() && seen.front() == "SUCCESS") seen.erase(seen.begin());
  ASSERT_GT(seen.size(), 2u);
  EXPECT_EQ(seen[0], "LOC_QP_OP_ERR");
  EXPECT_EQ(Names(seen.begin() + 1, seen.end()), Names(seen.size() - 1, "WR_FLUSH_ERR"));
  EXPECT_EQ(p.a.events(), Events{IBV_EVENT_PORT_ERR});
  EXPECT_EQ(p.b.events(), Events{IBV_EVENT_PORT_ERR});
  EXPECT_EQ(p.b.state(), IBV_QPS_RTS);
}

TEST(Fault, Rxe61ReceiverDown) {
  Pair p(onRxe(), profiled("rxe-6.1"), faults(R"([{"at": "200us", "do": "port_down", "target": "b/emu0"}])"));
  post64(p);
  Names seen = statuses(p.wait(p.a, 64));
  while (!seen.empty() && seen.front() == "SUCCESS") seen.erase(seen.begin());
  ASSERT_GT(seen.size(), 2u);
  EXPECT_EQ(seen[0], "RETRY_EXC_ERR");
  EXPECT_EQ(seen[1], "WR_FLUSH_ERR");
  EXPECT_EQ(p.a.events(), Events{IBV_EVENT_PORT_ERR});
}

TEST(Fault, Rxe612PortDownGivesOnlyFlushes) {
  for (const char* end : {"a", "b"}) {
    Pair p(onRxe(), profiled("rxe-6.12"),
           faults(std::string(R"([{"at": "200us", "do": "port_down", "target": ")") + end + "/emu0\"}]"));
    post64(p);
    Names seen = statuses(p.wait(p.a, 64));
    while (!seen.empty() && seen.front() == "SUCCESS") seen.erase(seen.begin());
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(seen, Names(seen.size(), "WR_FLUSH_ERR"));
  }
}

TEST(Fault, RxeLossBeforeAndDuring) {
  for (const char* profile : {"rxe-6.1", "rxe-6.12"}) {
    Pair before(onRxe(), profiled(profile), faults(R"([{"at": 0, "do": "loss", "amount": 1, "target": "a/emu0"}])"));
    before.sim.run(1000);
    const Time start = before.sim.now();
    post64(before);
    EXPECT_EQ(statuses(before.wait(before.a, 1)).at(0), "RETRY_EXC_ERR") << profile;
    EXPECT_NEAR(static_cast<double>(before.sim.now() - start) / 1e6, 85, 6);  // 80 to 90 ms were seen
    EXPECT_TRUE(before.a.events().empty());
    Pair during(onRxe(), profiled(profile),
                faults(R"([{"at": "200us", "do": "loss", "amount": 1, "target": "a/emu0"}])"));
    post64(during);
    Names seen = statuses(during.wait(during.a, 64));
    while (!seen.empty() && seen.front() == "SUCCESS") seen.erase(seen.begin());
    EXPECT_EQ(seen.at(0), std::string(profile) == "rxe-6.1" ? "RETRY_EXC_ERR" : "WR_FLUSH_ERR");
  }
}

TEST(Fault, RxeRetrySevenNeverGivesUp) {
  PairOptions o = onRxe();
  o.timeout = 14;
  o.retry = 7;
  Pair p(o, profiled("rxe-6.1"), faults(R"([{"at": 0, "do": "black_hole", "target": "b/emu0"}])"));
  p.sim.run(1);
  ASSERT_EQ(p.a.write(1, p.b, 100), 0);
  EXPECT_TRUE(p.wait(p.a, 1, 40'000'000'000).empty());
}

TEST(Fault, RxeBadKeyRaisesNoEvent) {
  Pair p(onRxe(), profiled("rxe-6.1"));
  ibv_sge sge{reinterpret_cast<uint64_t>(p.a.buffer.data()), 8, p.a.mr->lkey};
  ibv_send_wr wr = p.a.wr(1, IBV_WR_RDMA_WRITE, p.b, &sge);
  wr.wr.rdma.rkey = 1;
  ASSERT_EQ(p.a.post(&wr), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"REM_ACCESS_ERR"});
  EXPECT_EQ(p.a.state(), IBV_QPS_ERR);
  EXPECT_EQ(p.b.state(), IBV_QPS_ERR);
  EXPECT_TRUE(p.b.events().empty());
}

TEST(Fault, RxeAddressRemovedAndBack) {
  Pair p(onRxe(), profiled("rxe-6.1"),
         faults(R"([{"at": "100us", "do": "gid_change", "index": 1, "target": "a/emu0"}])"));
  ibv_gid before, after;
  ASSERT_EQ(ibv_query_gid(p.a.context, 1, 1, &before), 0);
  p.sim.run(200'000);
  EXPECT_EQ(p.a.events(), Events{IBV_EVENT_GID_CHANGE});
  ASSERT_EQ(ibv_query_gid(p.a.context, 1, 2, &after), 0);
  EXPECT_EQ(std::memcmp(&before, &after, sizeof before), 0) << "the address comes back at index 2";
}

TEST(Fault, RxeAddressRemoved) {
  Pair p(onRxe(), profiled("rxe-6.1"),
         faults(R"([{"at": "100us", "do": "gid_remove", "index": 1, "target": "a/emu0"}])"));
  p.sim.run(200'000);
  ASSERT_EQ(p.a.write(1, p.b, 8), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"LOC_QP_OP_ERR"});
}

}  // namespace
}  // namespace polyrail::emu
