// SPDX-License-Identifier: Apache-2.0
// Every operation moves the right bytes to the right place and says so.
#include <cstring>

#include "test/unit/emu/pair.h"

namespace polyrail::emu {
namespace {

void fillBytes(End& end, size_t length, uint8_t seed) {
  for (size_t i = 0; i < length; i++) end.buffer.data()[i] = static_cast<uint8_t>(i * 31 + seed);
}
bool sameBytes(End& a, End& b, size_t length) { return std::memcmp(a.buffer.data(), b.buffer.data(), length) == 0; }

TEST(Transfer, WritesOfManySizes) {
  for (const size_t length : {size_t{1}, size_t{128}, size_t{4096}, size_t{4097}, size_t{65536}, size_t{1 << 20}}) {
    Pair p;
    fillBytes(p.a, length, 7);
    ASSERT_EQ(p.a.write(1, p.b, length), 0);
    const auto done = p.wait(p.a, 1);
    ASSERT_EQ(done.size(), 1u);
    EXPECT_EQ(done[0].status, IBV_WC_SUCCESS);
    EXPECT_EQ(done[0].opcode, IBV_WC_RDMA_WRITE);
    EXPECT_TRUE(sameBytes(p.a, p.b, length)) << length;
    EXPECT_TRUE(p.b.poll().empty());
  }
}

TEST(Transfer, WriteWithImmediateTakesAReceive) {
  Pair p;
  fillBytes(p.a, 100000, 3);
  ASSERT_EQ(p.b.recv(77, 0), 0);
  ASSERT_EQ(p.a.writeImm(1, p.b, 100000, 0xabcd1234), 0);
  const auto got = p.wait(p.b, 1);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].wr_id, 77u);
  EXPECT_EQ(got[0].opcode, IBV_WC_RECV_RDMA_WITH_IMM);
  EXPECT_EQ(got[0].byte_len, 100000u);
  EXPECT_EQ(be32toh(got[0].imm_data), 0xabcd1234u);
  EXPECT_TRUE(got[0].wc_flags & IBV_WC_WITH_IMM);
  EXPECT_TRUE(sameBytes(p.a, p.b, 100000));
}

TEST(Transfer, ZeroLengthWriteWithImmediateChecksNoKey) {
  Pair p;
  ASSERT_EQ(p.b.recv(5, 0), 0);
  ibv_send_wr wr = p.a.wr(1, IBV_WR_RDMA_WRITE_WITH_IMM, p.b, nullptr);
  wr.num_sge = 0;
  wr.wr.rdma.rkey = 0xbad;
  ASSERT_EQ(p.a.post(&wr), 0);
  const auto got = p.wait(p.b, 1);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].byte_len, 0u);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), std::vector<std::string>{"SUCCESS"});
}

TEST(Transfer, SendIsSpreadOverTheReceiversList) {
  Pair p;
  fillBytes(p.a, 300, 1);
  auto* base = p.b.buffer.data();
  ibv_sge list[2] = {{reinterpret_cast<uint64_t>(base + 5000), 100, p.b.mr->lkey},
                     {reinterpret_cast<uint64_t>(base + 1000), 500, p.b.mr->lkey}};
  ibv_recv_wr wr{9, nullptr, list, 2};
  ibv_recv_wr* bad;
  ASSERT_EQ(ibv_post_recv(p.b.qp, &wr, &bad), 0);
  ASSERT_EQ(p.a.send(1, 300), 0);
  const auto got = p.wait(p.b, 1);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].opcode, IBV_WC_RECV);
  EXPECT_EQ(got[0].byte_len, 300u);
  EXPECT_EQ(std::memcmp(base + 5000, p.a.buffer.data(), 100), 0);
  EXPECT_EQ(std::memcmp(base + 1000, p.a.buffer.data() + 100, 200), 0);
}

TEST(Transfer, ReadFetches) {
  Pair p;
  fillBytes(p.b, 200000, 9);
  ASSERT_EQ(p.a.read(4, p.b, 200000), 0);
  const auto done = p.wait(p.a, 1);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].opcode, IBV_WC_RDMA_READ);
  EXPECT_EQ(done[0].byte_len, 200000u);
  EXPECT_TRUE(sameBytes(p.a, p.b, 200000));
}

TEST(Transfer, ZeroLengthRead) {
  Pair p;
  ASSERT_EQ(p.a.read(4, p.b, 0), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), std::vector<std::string>{"SUCCESS"});
}

TEST(Transfer, AtomicsReturnWhatWasThere) {
  Pair p;
  auto* word = reinterpret_cast<uint64_t*>(p.b.buffer.data());
  auto* result = reinterpret_cast<uint64_t*>(p.a.buffer.data());
  *word = 40;
  ibv_sge sge{reinterpret_cast<uint64_t>(result), 8, p.a.mr->lkey};
  ibv_send_wr wr = p.a.wr(1, IBV_WR_ATOMIC_FETCH_AND_ADD, p.b, &sge);
  wr.wr.atomic = {reinterpret_cast<uint64_t>(word), 2, 0, p.b.mr->rkey};
  ASSERT_EQ(p.a.post(&wr), 0);
  ASSERT_EQ(statuses(p.wait(p.a, 1)), std::vector<std::string>{"SUCCESS"});
  EXPECT_EQ(*result, 40u);
  EXPECT_EQ(*word, 42u);
  wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
  wr.wr.atomic = {reinterpret_cast<uint64_t>(word), 42, 7, p.b.mr->rkey};
  ASSERT_EQ(p.a.post(&wr), 0);
  ASSERT_EQ(p.wait(p.a, 1).at(0).opcode, IBV_WC_COMP_SWAP);
  EXPECT_EQ(*result, 42u);
  EXPECT_EQ(*word, 7u);
}

TEST(Transfer, InlineDataMayBeReusedAtOnce) {
  Pair p;
  fillBytes(p.a, 32, 5);
  std::vector<uint8_t> before(p.a.buffer.data(), p.a.buffer.data() + 32);
  ASSERT_EQ(p.a.write(1, p.b, 32, 0, IBV_SEND_SIGNALED | IBV_SEND_INLINE), 0);
  std::memset(p.a.buffer.data(), 0, 32);
  ASSERT_EQ(p.wait(p.a, 1).size(), 1u);
  EXPECT_EQ(std::memcmp(before.data(), p.b.buffer.data(), 32), 0);
}

TEST(Transfer, SharedReceiveQueueServesAndWarns) {
  PairOptions o;
  o.srq = true;
  Pair p(o);
  for (uint64_t i = 0; i < 4; i++) ASSERT_EQ(p.b.recv(i, 64), 0);
  ibv_srq_attr limit{};
  limit.srq_limit = 3;
  ASSERT_EQ(ibv_modify_srq(p.b.srq, &limit, IBV_SRQ_LIMIT), 0);
  for (uint64_t i = 0; i < 2; i++) ASSERT_EQ(p.a.send(i, 10), 0);
  EXPECT_EQ(p.wait(p.b, 2).size(), 2u);
  EXPECT_EQ(p.b.events(), std::vector<ibv_event_type>{IBV_EVENT_SRQ_LIMIT_REACHED});
}

TEST(Transfer, UcDropsWithoutNotice) {
  PairOptions o;
  o.type = IBV_QPT_UC;
  Pair p(o);
  fillBytes(p.a, 5000, 2);
  ASSERT_EQ(p.a.send(1, 100), 0);  // nobody waits for it
  ASSERT_EQ(p.wait(p.a, 1).at(0).status, IBV_WC_SUCCESS);
  ASSERT_EQ(p.b.recv(2, 5000), 0);
  ASSERT_EQ(p.a.send(3, 5000), 0);
  EXPECT_EQ(p.wait(p.b, 1).at(0).byte_len, 5000u);
  EXPECT_TRUE(sameBytes(p.a, p.b, 5000));
}

TEST(Transfer, DatagramsCarryARouteHeader) {
  PairOptions o;
  o.type = IBV_QPT_UD;
  o.access = IBV_ACCESS_LOCAL_WRITE;
  Pair p(o, defaultFabric(), {}, false);
  for (End* e : {&p.a, &p.b}) {
    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_INIT;
    attr.port_num = 1;
    attr.qkey = 0x11;
    ASSERT_EQ(ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY), 0);
    ASSERT_EQ(e->toState(IBV_QPS_RTR), 0);
    attr.qp_state = IBV_QPS_RTS;
    ASSERT_EQ(ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN), 0);
  }
  ibv_ah_attr address{};
  address.is_global = 1;
  address.port_num = 1;
  address.grh.sgid_index = 3;
  ibv_query_gid(p.b.context, 1, 3, &address.grh.dgid);
  ibv_ah* ah = ibv_create_ah(p.a.pd, &address);
  ASSERT_NE(ah, nullptr);
  ASSERT_EQ(p.b.recv(1, 40 + 64), 0);
  fillBytes(p.a, 64, 4);
  ibv_sge sge{reinterpret_cast<uint64_t>(p.a.buffer.data()), 64, p.a.mr->lkey};
  ibv_send_wr wr = p.a.wr(1, IBV_WR_SEND, p.b, &sge);
  wr.wr.ud = {ah, p.b.qp->qp_num, 0x11};
  ASSERT_EQ(p.a.post(&wr), 0);
  const auto got = p.wait(p.b, 1);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].byte_len, 104u);
  EXPECT_EQ(got[0].src_qp, p.a.qp->qp_num);
  EXPECT_EQ(std::memcmp(p.b.buffer.data() + 40, p.a.buffer.data(), 64), 0);
  EXPECT_EQ(ibv_destroy_ah(ah), 0);
}

}  // namespace
}  // namespace polyrail::emu
