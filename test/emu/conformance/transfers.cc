// SPDX-License-Identifier: Apache-2.0
// Cases: every operation moves the right bytes and says so.
#include <cstring>

#include "test/emu/conformance/link.h"

namespace polyrail::conformance {
namespace {

void fill(End& end, size_t length) {
  for (size_t i = 0; i < length; i++) end.memory[i] = static_cast<uint8_t>(i * 37 + 11);
}

void equal(const End& a, const End& b, size_t length) {
  check(std::memcmp(a.memory.data(), b.memory.data(), length) == 0, "bytes differ");
}

ibv_wc one(const End& end, ibv_wc_opcode opcode) {
  const auto done = end.wait(1);
  same(done.size(), 1u, "completions");
  same(int{done[0].status}, int{IBV_WC_SUCCESS}, "status");
  same(int{done[0].opcode}, int{opcode}, "opcode");
  return done[0];
}

void write(const Rails& rails) {
  for (const uint32_t length : {1u, 64u, 1024u, 1025u, 4096u, 65537u, 1u << 20}) {
    Link l(rails);
    fill(l.a, length);
    same(l.a.write(1, l.b, length), 0, "post");
    one(l.a, IBV_WC_RDMA_WRITE);
    equal(l.a, l.b, length);
  }
}

void writeImmediate(const Rails& rails) {
  Link l(rails);
  fill(l.a, 50000);
  same(l.b.receive(5, 0), 0, "post receive");
  ibv_sge list = l.a.sge(0, 50000);
  ibv_send_wr wr = l.a.request(1, IBV_WR_RDMA_WRITE_WITH_IMM, l.b, &list, 1);
  wr.imm_data = htobe32(0x12345678);
  same(l.a.post(&wr), 0, "post");
  const ibv_wc wc = one(l.b, IBV_WC_RECV_RDMA_WITH_IMM);
  same(wc.wr_id, 5u, "wr_id");
  same(wc.byte_len, 50000u, "byte_len");
  same(be32toh(wc.imm_data), 0x12345678u, "immediate");
  check(wc.wc_flags & IBV_WC_WITH_IMM, "no IBV_WC_WITH_IMM");
  equal(l.a, l.b, 50000);
  one(l.a, IBV_WC_RDMA_WRITE);
}

void writeImmediateEmpty(const Rails& rails) {
  Link l(rails);
  same(l.b.receive(5, 0), 0, "post receive");
  ibv_send_wr wr = l.a.request(1, IBV_WR_RDMA_WRITE_WITH_IMM, l.b, nullptr, 0);
  same(l.a.post(&wr), 0, "post");
  same(one(l.b, IBV_WC_RECV_RDMA_WITH_IMM).byte_len, 0u, "byte_len");
}

void sendReceive(const Rails& rails) {
  Link l(rails);
  fill(l.a, 9000);
  same(l.b.receive(7, 10000), 0, "post receive");
  same(l.a.send(1, 9000), 0, "post");
  const ibv_wc wc = one(l.b, IBV_WC_RECV);
  same(wc.wr_id, 7u, "wr_id");
  same(wc.byte_len, 9000u, "byte_len");
  same(wc.qp_num, l.b.qp->qp_num, "qp_num");
  equal(l.a, l.b, 9000);
  one(l.a, IBV_WC_SEND);
}

void gatherAndScatter(const Rails& rails) {
  Link l(rails);
  fill(l.a, 4000);
  ibv_sge from[2] = {l.a.sge(0, 1500), l.a.sge(2000, 1500)};
  ibv_sge to[2] = {l.b.sge(100, 700), l.b.sge(9000, 5000)};
  ibv_recv_wr recv{1, nullptr, to, 2};
  ibv_recv_wr* bad;
  same(ibv_post_recv(l.b.qp, &recv, &bad), 0, "post receive");
  ibv_send_wr wr = l.a.request(1, IBV_WR_SEND, l.b, from, 2);
  same(l.a.post(&wr), 0, "post");
  same(one(l.b, IBV_WC_RECV).byte_len, 3000u, "byte_len");
  std::vector<uint8_t> sent(l.a.memory.begin(), l.a.memory.begin() + 1500);
  sent.insert(sent.end(), l.a.memory.begin() + 2000, l.a.memory.begin() + 3500);
  check(std::memcmp(sent.data(), &l.b.memory[100], 700) == 0, "first part");
  check(std::memcmp(sent.data() + 700, &l.b.memory[9000], 2300) == 0, "second part");
}

void read(const Rails& rails) {
  for (const uint32_t length : {0u, 64u, 100000u}) {
    Link l(rails);
    fill(l.b, length);
    ibv_sge list = l.a.sge(0, length);
    ibv_send_wr wr = l.a.request(1, IBV_WR_RDMA_READ, l.b, &list, length > 0 ? 1 : 0);
    same(l.a.post(&wr), 0, "post");
    one(l.a, IBV_WC_RDMA_READ);
    equal(l.a, l.b, length);
  }
}

void atomics(const Rails& rails) {
  Link l(rails);
  uint64_t word = 40, before = 0;
  std::memcpy(l.b.memory.data(), &word, 8);
  ibv_sge list = l.a.sge(0, 8);
  ibv_send_wr wr = l.a.request(1, IBV_WR_ATOMIC_FETCH_AND_ADD, l.b, &list, 1);
  wr.wr.atomic = {reinterpret_cast<uint64_t>(l.b.memory.data()), 2, 0, l.b.mr->rkey};
  same(l.a.post(&wr), 0, "post");
  one(l.a, IBV_WC_FETCH_ADD);
  std::memcpy(&before, l.a.memory.data(), 8);
  same(before, 40u, "value before");
  wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
  wr.wr.atomic = {reinterpret_cast<uint64_t>(l.b.memory.data()), 42, 9, l.b.mr->rkey};
  same(l.a.post(&wr), 0, "post");
  one(l.a, IBV_WC_COMP_SWAP);
  std::memcpy(&word, l.b.memory.data(), 8);
  same(word, 9u, "value after");
}

void inlineData(const Rails& rails) {
  Link l(rails);
  fill(l.a, 48);
  const std::vector<uint8_t> sent(l.a.memory.begin(), l.a.memory.begin() + 48);
  same(l.a.write(1, l.b, 48, IBV_SEND_SIGNALED | IBV_SEND_INLINE), 0, "post");
  std::memset(l.a.memory.data(), 0, 48);
  one(l.a, IBV_WC_RDMA_WRITE);
  check(std::memcmp(sent.data(), l.b.memory.data(), 48) == 0, "bytes differ");
}

void sharedReceiveQueue(const Rails& rails) {
  LinkOptions o;
  o.srq = true;
  Link l(rails, o);
  fill(l.a, 100);
  for (uint64_t i = 0; i < 3; i++) same(l.b.receive(i, 200, i * 200), 0, "post to SRQ");
  for (uint64_t i = 0; i < 3; i++) same(l.a.send(i, 100), 0, "post");
  same(l.b.wait(3).size(), 3u, "receives");
  check(std::memcmp(l.a.memory.data(), &l.b.memory[400], 100) == 0, "bytes differ");
}

void datagram(const Rails& rails) {
  LinkOptions o;
  o.type = IBV_QPT_UD;
  o.access = IBV_ACCESS_LOCAL_WRITE;
  Link l(rails, o);
  fill(l.a, 64);
  ibv_ah_attr address{};
  address.port_num = 1;
  address.is_global = 1;
  address.grh.dgid = l.b.gid;
  address.grh.sgid_index = static_cast<uint8_t>(l.a.gidIndex);
  address.grh.hop_limit = 64;
  ibv_ah* ah = ibv_create_ah(l.a.pd, &address);
  check(ah != nullptr, "ibv_create_ah");
  same(l.b.receive(3, 200), 0, "post receive");
  ibv_sge list = l.a.sge(0, 64);
  ibv_send_wr wr = l.a.request(1, IBV_WR_SEND, l.b, &list, 1);
  wr.wr.ud = {ah, l.b.qp->qp_num, 0x11111111};
  same(l.a.post(&wr), 0, "post");
  const auto got = l.b.wait(1);
  ibv_destroy_ah(ah);
  same(got.size(), 1u, "datagrams");
  same(got[0].byte_len, 104u, "byte_len");
  same(got[0].src_qp, l.a.qp->qp_num, "src_qp");
  check(std::memcmp(l.a.memory.data(), &l.b.memory[40], 64) == 0, "bytes differ");
}

}  // namespace

const std::vector<Case>& transferCases() {
  static const std::vector<Case> cases = {{"write", write},
                                          {"write-imm", writeImmediate},
                                          {"write-imm-empty", writeImmediateEmpty},
                                          {"send-receive", sendReceive},
                                          {"gather-scatter", gatherAndScatter},
                                          {"read", read},
                                          {"atomics", atomics},
                                          {"inline", inlineData},
                                          {"srq", sharedReceiveQueue},
                                          {"ud", datagram}};
  return cases;
}

}  // namespace polyrail::conformance
