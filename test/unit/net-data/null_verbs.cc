// SPDX-License-Identifier: Apache-2.0
#include "test/unit/net-data/null_verbs.h"

#include <array>
#include <atomic>
#include <cstring>
#include <deque>

namespace polyrail::net::null_verbs {
namespace {

struct Queue {
  ibv_cq face;
  std::array<ibv_wc, 4096> entries;
  size_t head, tail;
  void push(const ibv_wc& wc) { entries[tail++ % entries.size()] = wc; }
};

struct Pair {
  ibv_qp face;
  Queue* queue;
  Pair* peer;
  uint64_t receiveId;  // the same for all that are posted
};

ibv_context context;
ibv_pd pd;
std::deque<Queue> queues;
std::deque<Pair> pairs;
std::deque<ibv_mr> regions;

// One call at a time, as a NIC's locks would have it: the plugin's control thread looks after one end of a pair while
// NCCL's is at the other. It makes no system call, and it is inlined, so that a profile that leaves out the functions
// of this file leaves it out too.
std::atomic_flag busy;
struct Alone {
  [[gnu::always_inline]] Alone() {
    while (busy.test_and_set(std::memory_order_acquire)) {
    }
  }
  [[gnu::always_inline]] ~Alone() { busy.clear(std::memory_order_release); }
};

void moveBytes(const ibv_send_wr& wr) {
  if (wr.num_sge == 0) return;
  auto* there = reinterpret_cast<void*>(wr.wr.rdma.remote_addr);
  auto* here = reinterpret_cast<void*>(wr.sg_list[0].addr);
  if (wr.opcode == IBV_WR_RDMA_READ)
    std::memcpy(here, there, wr.sg_list[0].length);
  else
    std::memcpy(there, here, wr.sg_list[0].length);
}

int postSend(ibv_qp* qp, ibv_send_wr* wr, ibv_send_wr**) {
  const Alone alone;
  Pair& self = *reinterpret_cast<Pair*>(qp);
  for (; wr; wr = wr->next) {
    moveBytes(*wr);
    ibv_wc wc{};
    wc.byte_len = wr->num_sge ? wr->sg_list[0].length : 0;
    if (wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM) {
      wc.wr_id = self.peer->receiveId;
      wc.opcode = IBV_WC_RECV_RDMA_WITH_IMM;
      wc.imm_data = wr->imm_data;
      self.peer->queue->push(wc);
    }
    wc.wr_id = wr->wr_id;
    wc.opcode = IBV_WC_RDMA_WRITE;
    if (wr->send_flags & IBV_SEND_SIGNALED) self.queue->push(wc);
  }
  return 0;
}

int postRecv(ibv_qp* qp, ibv_recv_wr* wr, ibv_recv_wr**) {
  const Alone alone;
  reinterpret_cast<Pair*>(qp)->receiveId = wr->wr_id;
  return 0;
}

int pollCq(ibv_cq* cq, int count, ibv_wc* wc) {
  const Alone alone;
  Queue& queue = *reinterpret_cast<Queue*>(cq);
  int n = 0;
  for (; n < count && queue.head != queue.tail; n++) wc[n] = queue.entries[queue.head++ % queue.entries.size()];
  return n;
}

ibv_cq* createCq(ibv_context*, int, void*, ibv_comp_channel*, int) {
  queues.emplace_back();
  queues.back().face.context = &context;
  return &queues.back().face;
}

ibv_qp* createQp(ibv_pd*, ibv_qp_init_attr* init) {
  pairs.emplace_back();
  Pair& pair = pairs.back();
  pair.face.context = &context;
  pair.face.qp_num = static_cast<uint32_t>(pairs.size() - 1);
  pair.queue = reinterpret_cast<Queue*>(init->send_cq);
  return &pair.face;
}

int modifyQp(ibv_qp* qp, ibv_qp_attr* attr, int mask) {
  if (mask & IBV_QP_DEST_QPN) reinterpret_cast<Pair*>(qp)->peer = &pairs[attr->dest_qp_num];
  return 0;
}

ibv_mr* regMr(ibv_pd*, void*, size_t, int) { return &regions.emplace_back(); }

}  // namespace

Verbs table() {
  context.ops.post_send = postSend;
  context.ops.post_recv = postRecv;
  context.ops.poll_cq = pollCq;
  Verbs v{};
  v.createCq = createCq;
  v.destroyCq = [](ibv_cq*) { return 0; };
  v.createQp = createQp;
  v.modifyQp = modifyQp;
  v.destroyQp = [](ibv_qp*) { return 0; };
  v.regMr = regMr;
  v.deregMr = [](ibv_mr*) { return 0; };
  v.wcStatusStr = [](ibv_wc_status) { return ""; };
  return v;
}

LocalRail rail(unsigned index) {
  LocalRail rail;
  rail.context = &context;
  rail.pd = &pd;
  rail.info.mtu = IBV_MTU_4096;
  rail.info.speedMbps = 400'000;
  rail.info.name = "null" + std::to_string(index);
  return rail;
}

}  // namespace polyrail::net::null_verbs
