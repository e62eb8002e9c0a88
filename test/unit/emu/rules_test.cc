// SPDX-License-Identifier: Apache-2.0
// The rules of reliable connections: order, flow control, protection, limits, flushes.
#include <fcntl.h>

#include <cstring>

#include "test/unit/emu/pair.h"

namespace polyrail::emu {
namespace {

using Names = std::vector<std::string>;

TEST(Rules, CompletionsComeInOrder) {
  Pair p;
  ASSERT_EQ(p.a.write(1, p.b, 500000), 0);
  ASSERT_EQ(p.a.read(2, p.b, 100000), 0);
  ASSERT_EQ(p.a.write(3, p.b, 1), 0);
  ASSERT_EQ(p.a.read(4, p.b, 10), 0);
  const auto done = p.wait(p.a, 4);
  ASSERT_EQ(done.size(), 4u);
  for (uint64_t i = 0; i < 4; i++) EXPECT_EQ(done[i].wr_id, i + 1);
}

TEST(Rules, UnsignaledWorkIsSilentAndItsSlotsComeBackByPolling) {
  PairOptions o;
  o.sendDepth = 4;
  Pair p(o);
  for (uint64_t i = 0; i < 3; i++) ASSERT_EQ(p.a.write(i, p.b, 8, 0, 0), 0);
  ASSERT_EQ(p.a.write(3, p.b, 8), 0);
  p.sim.run(1'000'000);  // all are done, but nobody has polled
  EXPECT_EQ(p.a.write(4, p.b, 8), ENOMEM);
  const auto done = p.wait(p.a, 1);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].wr_id, 3u);
  EXPECT_EQ(p.a.write(4, p.b, 8), 0);
}

TEST(Rules, ReceiverNotReadyIsTriedAgain) {
  Pair p;
  ASSERT_EQ(p.a.send(1, 100), 0);
  p.sim.run(15'000);
  ASSERT_EQ(p.b.recv(1, 100), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"SUCCESS"});
  EXPECT_EQ(p.wait(p.b, 1).size(), 1u);
}

TEST(Rules, ReceiverNeverReadyEndsTheSender) {
  Pair p;
  ASSERT_EQ(p.a.send(1, 100), 0);
  ASSERT_EQ(p.a.write(2, p.b, 100), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 2)), (Names{"RNR_RETRY_EXC_ERR", "WR_FLUSH_ERR"}));
  EXPECT_EQ(p.a.state(), IBV_QPS_ERR);
  EXPECT_EQ(p.b.state(), IBV_QPS_RTS);
}

TEST(Rules, RnrRetrySevenWaitsForEver) {
  PairOptions o;
  o.rnrRetry = 7;
  Pair p(o);
  ASSERT_EQ(p.a.send(1, 100), 0);
  EXPECT_TRUE(p.wait(p.a, 1, 1'000'000'000).empty());
  ASSERT_EQ(p.b.recv(1, 100), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"SUCCESS"});
}

TEST(Rules, BadKeyBreaksBothEnds) {
  Pair p;
  ASSERT_EQ(p.b.recv(9, 10), 0);
  ibv_sge sge{reinterpret_cast<uint64_t>(p.a.buffer.data()), 8, p.a.mr->lkey};
  ibv_send_wr wr = p.a.wr(1, IBV_WR_RDMA_WRITE, p.b, &sge);
  wr.wr.rdma.rkey ^= 0x100;
  ASSERT_EQ(p.a.post(&wr), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"REM_ACCESS_ERR"});
  EXPECT_EQ(statuses(p.wait(p.b, 1)), Names{"WR_FLUSH_ERR"});
  EXPECT_EQ(p.b.state(), IBV_QPS_ERR);
  EXPECT_EQ(p.b.events(), std::vector<ibv_event_type>{IBV_EVENT_QP_ACCESS_ERR});
}

// ibv_destroy_qp waits for the acknowledgement; in virtual time, where nothing may wait, it refuses.
TEST(Rules, AnObjectStaysUntilItsEventIsAcknowledged) {
  Pair p;
  ibv_sge sge{reinterpret_cast<uint64_t>(p.a.buffer.data()), 8, p.a.mr->lkey};
  ibv_send_wr wr = p.a.wr(1, IBV_WR_RDMA_WRITE, p.b, &sge);
  wr.wr.rdma.rkey ^= 0x100;
  ASSERT_EQ(p.a.post(&wr), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"REM_ACCESS_ERR"});
  ibv_async_event event;
  ASSERT_EQ(ibv_get_async_event(p.b.context, &event), 0);
  EXPECT_EQ(event.element.qp, p.b.qp);
  EXPECT_EQ(ibv_destroy_qp(p.b.qp), EBUSY);
  ibv_ack_async_event(&event);  // and then it goes, which the pair's end asserts
}

TEST(Rules, OneByteBeyondTheRegionIsRefused) {
  Pair p;
  ibv_sge sge{reinterpret_cast<uint64_t>(p.a.buffer.data()), 8, p.a.mr->lkey};
  ibv_send_wr wr = p.a.wr(1, IBV_WR_RDMA_WRITE, p.b, &sge);
  wr.wr.rdma.remote_addr += p.b.buffer.size() - 7;
  ASSERT_EQ(p.a.post(&wr), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"REM_ACCESS_ERR"});
}

TEST(Rules, BadLocalKeyComesAfterTheWorkBeforeIt) {
  Pair p;
  ASSERT_EQ(p.a.write(1, p.b, 300000), 0);
  ibv_sge sge{reinterpret_cast<uint64_t>(p.a.buffer.data()), 8, p.a.mr->lkey + 1};
  ibv_send_wr wr = p.a.wr(2, IBV_WR_RDMA_WRITE, p.b, &sge);
  ASSERT_EQ(p.a.post(&wr), 0);
  ASSERT_EQ(p.a.write(3, p.b, 8), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 3)), (Names{"SUCCESS", "LOC_PROT_ERR", "WR_FLUSH_ERR"}));
  EXPECT_EQ(p.b.state(), IBV_QPS_RTS);
}

TEST(Rules, ReadNeedsLocalWriteAccessAndRemoteReadAccess) {
  PairOptions o;
  o.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
  Pair p(o);
  ASSERT_EQ(p.a.read(1, p.b, 8), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"REM_INV_REQ_ERR"});
}

TEST(Rules, SendLongerThanTheReceive) {
  Pair p;
  ASSERT_EQ(p.b.recv(1, 50), 0);
  ASSERT_EQ(p.b.recv(2, 50), 0);
  ASSERT_EQ(p.a.send(1, 51), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"REM_INV_REQ_ERR"});
  EXPECT_EQ(statuses(p.wait(p.b, 2)), (Names{"LOC_LEN_ERR", "WR_FLUSH_ERR"}));
}

TEST(Rules, DifferentMtusAreNoticed) {
  Pair p({}, defaultFabric(), {}, false);
  p.b.options.mtu = IBV_MTU_1024;
  ASSERT_EQ(p.a.connect(p.b), 0);
  ASSERT_EQ(p.b.connect(p.a), 0);
  ASSERT_EQ(p.a.write(1, p.b, 1000), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"SUCCESS"});
  ASSERT_EQ(p.a.write(2, p.b, 5000), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"REM_INV_REQ_ERR"});
}

TEST(Rules, WrongPsnIsNeverDelivered) {
  Pair p({}, defaultFabric(), {}, false);
  ASSERT_EQ(p.a.connect(p.b, 100, 100), 0);
  ASSERT_EQ(p.b.connect(p.a, 100, 4000), 0);  // expects 4000, gets 100: an old packet, acknowledged and not placed
  std::memset(p.a.buffer.data(), 1, 64);
  ASSERT_EQ(p.a.write(1, p.b, 64), 0);
  p.sim.run(1'000'000);
  EXPECT_EQ(p.b.buffer.data()[0], 0);
}

TEST(Rules, PsnsWrap) {
  Pair p({}, defaultFabric(), {}, false);
  ASSERT_EQ(p.a.connect(p.b, 0xfffffe, 0), 0);
  ASSERT_EQ(p.b.connect(p.a, 0, 0xfffffe), 0);
  for (uint64_t i = 0; i < 4; i++) ASSERT_EQ(p.a.write(i, p.b, 100000), 0);
  EXPECT_EQ(p.wait(p.a, 4).size(), 4u);
}

TEST(Rules, ErrorStateFlushesWhatIsPostedLater) {
  Pair p;
  ASSERT_EQ(p.b.recv(1, 8), 0);
  ASSERT_EQ(p.b.toState(IBV_QPS_ERR), 0);
  EXPECT_EQ(statuses(p.b.poll()), Names{"WR_FLUSH_ERR"});
  ASSERT_EQ(p.b.recv(2, 8), 0);
  ASSERT_EQ(p.b.write(3, p.a, 8, 0, 0), 0);
  const auto flushed = p.b.poll();
  EXPECT_EQ(statuses(flushed), (Names{"WR_FLUSH_ERR", "WR_FLUSH_ERR"}));
}

TEST(Rules, DrainingByErrorIsAFence) {
  Pair p;
  std::memset(p.a.buffer.data(), 1, 1 << 20);
  ASSERT_EQ(p.a.write(1, p.b, 1 << 20), 0);
  p.sim.run(20'000);  // some of it is on the way
  ASSERT_EQ(p.b.toState(IBV_QPS_ERR), 0);
  std::vector<uint8_t> then(p.b.buffer.data(), p.b.buffer.data() + (1 << 20));
  p.sim.run(1'000'000'000);
  EXPECT_EQ(std::memcmp(then.data(), p.b.buffer.data(), 1 << 20), 0) << "written after the fence";
}

TEST(Rules, StatesAndAttributesAreChecked) {
  Pair p({}, defaultFabric(), {}, false);
  EXPECT_EQ(p.a.toState(IBV_QPS_RTS), EINVAL);
  EXPECT_EQ(p.a.send(1, 8), EINVAL);
  EXPECT_EQ(p.a.recv(1, 8), EINVAL);
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_INIT;
  attr.port_num = 2;
  const int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
  EXPECT_EQ(ibv_modify_qp(p.a.qp, &attr, mask), EINVAL) << "port 2";
  attr.port_num = 1;
  EXPECT_EQ(ibv_modify_qp(p.a.qp, &attr, mask & ~IBV_QP_PORT), EINVAL);
  EXPECT_EQ(ibv_modify_qp(p.a.qp, &attr, mask | IBV_QP_SQ_PSN), EINVAL);
  EXPECT_EQ(ibv_modify_qp(p.a.qp, &attr, mask), 0);
  EXPECT_EQ(p.a.recv(1, 8), 0);
  EXPECT_EQ(p.a.send(1, 8), EINVAL);
}

TEST(Rules, PlanesDoNotMeet) {
  Fabric fabric = defaultFabric();
  fabric.hosts[1].nics[0].ports[0].plane = 1;
  Pair p({}, fabric, {}, false);
  EXPECT_EQ(p.a.connect(p.b), ETIMEDOUT);
}

TEST(Rules, QueueLimits) {
  Fabric fabric = defaultFabric();
  fabric.hosts[0].nics[0].limits.maxQp = 2;
  fabric.hosts[0].nics[0].limits.memlock = (1 << 20) + 100;
  Pair p({}, fabric);
  EXPECT_EQ(ibv_reg_mr(p.a.pd, p.a.buffer.data(), 4096, IBV_ACCESS_LOCAL_WRITE), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  ibv_qp_init_attr init{};
  init.send_cq = init.recv_cq = p.a.cq;
  init.cap = {4, 4, 1, 1, 0};
  init.qp_type = IBV_QPT_RC;
  ibv_qp* second = ibv_create_qp(p.a.pd, &init);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(ibv_create_qp(p.a.pd, &init), nullptr);
  EXPECT_EQ(ibv_destroy_qp(second), 0);
}

TEST(Rules, CompletionQueueOverrunBreaksItsQueuePairs) {
  PairOptions o;
  o.cqDepth = 2;
  Pair p(o);
  for (uint64_t i = 0; i < 3; i++) ASSERT_EQ(p.a.write(i, p.b, 8), 0);
  p.sim.run(1'000'000);
  EXPECT_EQ(p.a.events(), (std::vector<ibv_event_type>{IBV_EVENT_CQ_ERR, IBV_EVENT_QP_FATAL}));
  EXPECT_EQ(p.a.state(), IBV_QPS_ERR);
}

TEST(Rules, BusyObjectsStay) {
  Pair p;
  EXPECT_EQ(ibv_dealloc_pd(p.a.pd), EBUSY);
  EXPECT_EQ(ibv_destroy_cq(p.a.cq), EBUSY);
  EXPECT_EQ(p.sim.world().census.live[static_cast<size_t>(Kind::kQp)], 2);
}

TEST(Rules, EventsFollowTheArmedQueue) {
  Pair p;
  ASSERT_EQ(ibv_req_notify_cq(p.b.cq, 0), 0);
  fcntl(p.b.channel->fd, F_SETFL, O_NONBLOCK);
  ibv_cq* cq;
  void* user;
  EXPECT_EQ(ibv_get_cq_event(p.b.channel, &cq, &user), -1);
  for (uint64_t i = 0; i < 2; i++) ASSERT_EQ(p.b.recv(i, 8), 0);
  for (uint64_t i = 0; i < 2; i++) ASSERT_EQ(p.a.send(i, 8), 0);
  p.sim.run(1'000'000);
  ASSERT_EQ(ibv_get_cq_event(p.b.channel, &cq, &user), 0);
  EXPECT_EQ(cq, p.b.cq);
  EXPECT_EQ(ibv_get_cq_event(p.b.channel, &cq, &user), -1) << "armed once, one event";
  EXPECT_EQ(ibv_destroy_cq(p.b.cq), EBUSY);
  ibv_ack_cq_events(p.b.cq, 1);
}

}  // namespace
}  // namespace polyrail::emu
