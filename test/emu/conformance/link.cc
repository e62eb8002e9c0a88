// SPDX-License-Identifier: Apache-2.0
#include "test/emu/conformance/link.h"

#include <chrono>
#include <thread>

namespace polyrail::conformance {
namespace {

constexpr size_t kMemory = 1 << 20;

ibv_context* openByName(const std::string& name) {
  int count = 0;
  ibv_device** list = ibv_get_device_list(&count);
  ibv_context* found = nullptr;
  for (int i = 0; i < count; i++)
    if (name == ibv_get_device_name(list[i])) found = ibv_open_device(list[i]);
  ibv_free_device_list(list);
  check(found != nullptr, "cannot open device " + name);
  return found;
}

}  // namespace

void check(bool good, const std::string& what) {
  if (!good) throw Failure(what);
}

End::End(const std::string& device, int index, const LinkOptions& o) : options(o), memory(kMemory), gidIndex(index) {
  context = openByName(device);
  check((pd = ibv_alloc_pd(context)) != nullptr, "ibv_alloc_pd");
  check((mr = ibv_reg_mr(pd, memory.data(), memory.size(), o.access)) != nullptr, "ibv_reg_mr");
  check((channel = ibv_create_comp_channel(context)) != nullptr, "ibv_create_comp_channel");
  check((cq = ibv_create_cq(context, 256, this, channel, 0)) != nullptr, "ibv_create_cq");
  ibv_srq_init_attr srqInit{nullptr, {o.recvDepth, 2, 0}};
  if (o.srq) check((srq = ibv_create_srq(pd, &srqInit)) != nullptr, "ibv_create_srq");
  ibv_qp_init_attr init{};
  init.send_cq = init.recv_cq = cq;
  init.srq = srq;
  init.cap = {o.sendDepth, o.srq ? 0 : o.recvDepth, 4, 4, 64};
  init.qp_type = o.type;
  check((qp = ibv_create_qp(pd, &init)) != nullptr, "ibv_create_qp");
  check(ibv_query_gid(context, 1, index, &gid) == 0, "ibv_query_gid");
}

End::~End() {
  if (qp) ibv_destroy_qp(qp);
  if (srq) ibv_destroy_srq(srq);
  if (cq) ibv_destroy_cq(cq);
  if (channel) ibv_destroy_comp_channel(channel);
  if (mr) ibv_dereg_mr(mr);
  if (pd) ibv_dealloc_pd(pd);
  if (context) ibv_close_device(context);
}

int End::init() {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_INIT;
  attr.port_num = 1;
  attr.qkey = 0x11111111;
  attr.qp_access_flags = static_cast<unsigned>(options.access);
  const int last = options.type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
  return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | last);
}

int End::toReceive(const End& peer, uint32_t peerQpn) {
  if (options.type == IBV_QPT_UD) return to(IBV_QPS_RTR);
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = IBV_MTU_1024;
  attr.dest_qp_num = peerQpn;
  attr.rq_psn = 77;
  attr.max_dest_rd_atomic = 4;
  attr.min_rnr_timer = 12;
  attr.ah_attr.port_num = 1;
  attr.ah_attr.is_global = 1;
  attr.ah_attr.grh.sgid_index = static_cast<uint8_t>(gidIndex);
  attr.ah_attr.grh.hop_limit = 64;
  attr.ah_attr.grh.dgid = peer.gid;
  int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
  if (options.type == IBV_QPT_RC) mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  return ibv_modify_qp(qp, &attr, mask);
}

int End::toSend() {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RTS;
  attr.sq_psn = 77;
  attr.timeout = options.timeout;
  attr.retry_cnt = options.retry;
  attr.rnr_retry = options.rnrRetry;
  attr.max_rd_atomic = 4;
  int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
  if (options.type == IBV_QPT_RC)
    mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
  return ibv_modify_qp(qp, &attr, mask);
}

int End::to(ibv_qp_state state) {
  ibv_qp_attr attr{};
  attr.qp_state = state;
  return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

ibv_qp_state End::state() const {
  ibv_qp_attr attr{};
  ibv_qp_init_attr init{};
  check(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init) == 0, "ibv_query_qp");
  return attr.qp_state;
}

ibv_sge End::sge(uint64_t offset, uint32_t length) const {
  return {reinterpret_cast<uint64_t>(memory.data()) + offset, length, mr->lkey};
}

ibv_send_wr End::request(uint64_t id, ibv_wr_opcode opcode, const End& peer, ibv_sge* list, int count) const {
  ibv_send_wr wr{};
  wr.wr_id = id;
  wr.opcode = opcode;
  wr.sg_list = list;
  wr.num_sge = count;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.wr.rdma.remote_addr = reinterpret_cast<uint64_t>(peer.memory.data());
  wr.wr.rdma.rkey = peer.mr->rkey;
  return wr;
}

int End::post(ibv_send_wr* wr) const {
  ibv_send_wr* bad;
  return ibv_post_send(qp, wr, &bad);
}

int End::send(uint64_t id, uint32_t length, unsigned flags) const {
  ibv_sge list = sge(0, length);
  ibv_send_wr wr = request(id, IBV_WR_SEND, *this, &list, 1);
  wr.send_flags = flags;
  return post(&wr);
}

int End::write(uint64_t id, const End& peer, uint32_t length, unsigned flags) const {
  ibv_sge list = sge(0, length);
  ibv_send_wr wr = request(id, IBV_WR_RDMA_WRITE, peer, &list, 1);
  wr.send_flags = flags;
  return post(&wr);
}

int End::receive(uint64_t id, uint32_t length, uint64_t offset) const {
  ibv_sge list = sge(offset, length);
  ibv_recv_wr wr{id, nullptr, &list, length > 0 ? 1 : 0};
  ibv_recv_wr* bad;
  return srq ? ibv_post_srq_recv(srq, &wr, &bad) : ibv_post_recv(qp, &wr, &bad);
}

std::vector<ibv_wc> End::wait(size_t count, double seconds) const {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::vector<ibv_wc> all;
  while (all.size() < count && Clock::now() < end) {
    ibv_wc wc[16];
    const int found = ibv_poll_cq(cq, 16, wc);
    check(found >= 0, "ibv_poll_cq");
    all.insert(all.end(), wc, wc + found);
    if (found == 0) std::this_thread::yield();
  }
  return all;
}

Link::Link(const Rails& rails, const LinkOptions& options)
    : a(rails.first, rails.gidIndex, options), b(rails.second, rails.gidIndex, options) {
  if (!options.connected) return;
  for (End* end : {&a, &b}) same(end->init(), 0, "modify to INIT");
  same(a.toReceive(b, b.qp->qp_num), 0, "modify to RTR");
  same(b.toReceive(a, a.qp->qp_num), 0, "modify to RTR");
  for (End* end : {&a, &b}) {
    if (options.type == IBV_QPT_UD) {
      ibv_qp_attr attr{};
      attr.qp_state = IBV_QPS_RTS;
      same(ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN), 0, "modify to RTS");
    } else {
      same(end->toSend(), 0, "modify to RTS");
    }
  }
}

}  // namespace polyrail::conformance
