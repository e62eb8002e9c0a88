// SPDX-License-Identifier: Apache-2.0
#include "test/unit/emu/pair.h"

#include <fcntl.h>

#include "test/emu/core/status_names.h"

namespace polyrail::emu {

End::End(Simulation& s, const std::string& host, const PairOptions& o, const std::string& nic)
    : sim(s), options(o), buffer(o.bytes) {
  sim.setHost(host);
  ibv_device** list = ibv_get_device_list(nullptr);
  for (ibv_device** d = list; *d; d++)
    if (nic == ibv_get_device_name(*d)) context = ibv_open_device(*d);
  ibv_free_device_list(list);
  pd = ibv_alloc_pd(context);
  mr = ibv_reg_mr(pd, buffer.data(), buffer.size(), options.access);
  channel = ibv_create_comp_channel(context);
  cq = ibv_create_cq(context, static_cast<int>(o.cqDepth), nullptr, channel, 0);
  ibv_srq_init_attr srqInit{nullptr, {o.recvDepth, o.maxSge, 0}};
  if (o.srq) srq = ibv_create_srq(pd, &srqInit);
  ibv_qp_init_attr init{};
  init.send_cq = init.recv_cq = cq;
  init.srq = srq;
  init.cap = {o.sendDepth, o.recvDepth, o.maxSge, o.maxSge, o.inlineBytes};
  init.qp_type = o.type;
  init.sq_sig_all = o.signalAll;
  qp = ibv_create_qp(pd, &init);
  if (!qp) throw std::runtime_error("no queue pair");
}

End::~End() {
  EXPECT_EQ(ibv_destroy_qp(qp), 0);
  if (srq) {
    EXPECT_EQ(ibv_destroy_srq(srq), 0);
  }
  EXPECT_EQ(ibv_destroy_cq(cq), 0);
  EXPECT_EQ(ibv_destroy_comp_channel(channel), 0);
  EXPECT_EQ(ibv_dereg_mr(mr), 0);
  EXPECT_EQ(ibv_dealloc_pd(pd), 0);
  EXPECT_EQ(ibv_close_device(context), 0);
  EXPECT_TRUE(buffer.intact());
}

int End::toState(ibv_qp_state state) {
  ibv_qp_attr attr{};
  attr.qp_state = state;
  return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

ibv_qp_state End::state() {
  ibv_qp_attr attr;
  ibv_qp_init_attr init;
  EXPECT_EQ(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), 0);
  return attr.qp_state;
}

int End::connect(const End& peer, uint32_t psn, uint32_t peerPsn) {
  const bool rc = options.type == IBV_QPT_RC;
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_INIT;
  attr.port_num = 1;
  attr.qp_access_flags = static_cast<unsigned>(options.access);
  if (const int e = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
    return e;
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = options.mtu;
  attr.dest_qp_num = peer.qp->qp_num;
  attr.rq_psn = peerPsn;
  attr.max_dest_rd_atomic = 4;
  attr.min_rnr_timer = 1;
  attr.ah_attr.port_num = 1;
  attr.ah_attr.is_global = 1;
  attr.ah_attr.grh.sgid_index = static_cast<uint8_t>(options.gidIndex);
  ibv_query_gid(peer.context, 1, options.gidIndex, &attr.ah_attr.grh.dgid);
  const int rtr = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                  (rc ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0);
  if (const int e = ibv_modify_qp(qp, &attr, rtr)) return e;
  attr.qp_state = IBV_QPS_RTS;
  attr.sq_psn = psn;
  attr.timeout = options.timeout;
  attr.retry_cnt = options.retry;
  attr.rnr_retry = options.rnrRetry;
  attr.max_rd_atomic = 4;
  return ibv_modify_qp(qp, &attr,
                       IBV_QP_STATE | IBV_QP_SQ_PSN |
                           (rc ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC : 0));
}

int End::post(ibv_send_wr* wr) {
  ibv_send_wr* bad;
  return ibv_post_send(qp, wr, &bad);
}

ibv_send_wr End::wr(uint64_t id, ibv_wr_opcode opcode, End& peer, ibv_sge* sge) {
  ibv_send_wr w{};
  w.wr_id = id;
  w.opcode = opcode;
  w.sg_list = sge;
  w.num_sge = 1;
  w.send_flags = IBV_SEND_SIGNALED;
  w.wr.rdma.remote_addr = reinterpret_cast<uint64_t>(peer.buffer.data());
  w.wr.rdma.rkey = peer.mr->rkey;
  return w;
}

int End::write(uint64_t id, End& peer, size_t length, uint64_t offset, unsigned flags) {
  ibv_sge sge{reinterpret_cast<uint64_t>(buffer.data()) + offset, static_cast<uint32_t>(length), mr->lkey};
  ibv_send_wr w = wr(id, IBV_WR_RDMA_WRITE, peer, &sge);
  w.send_flags = flags;
  w.wr.rdma.remote_addr += offset;
  return post(&w);
}

int End::writeImm(uint64_t id, End& peer, size_t length, uint32_t imm, uint64_t offset) {
  ibv_sge sge{reinterpret_cast<uint64_t>(buffer.data()) + offset, static_cast<uint32_t>(length), mr->lkey};
  ibv_send_wr w = wr(id, IBV_WR_RDMA_WRITE_WITH_IMM, peer, &sge);
  w.imm_data = htobe32(imm);
  w.wr.rdma.remote_addr += offset;
  return post(&w);
}

int End::read(uint64_t id, End& peer, size_t length, uint64_t offset) {
  ibv_sge sge{reinterpret_cast<uint64_t>(buffer.data()) + offset, static_cast<uint32_t>(length), mr->lkey};
  ibv_send_wr w = wr(id, IBV_WR_RDMA_READ, peer, &sge);
  w.wr.rdma.remote_addr += offset;
  return post(&w);
}

int End::send(uint64_t id, size_t length, unsigned flags) {
  ibv_sge sge{reinterpret_cast<uint64_t>(buffer.data()), static_cast<uint32_t>(length), mr->lkey};
  ibv_send_wr w{};
  w.wr_id = id;
  w.opcode = IBV_WR_SEND;
  w.sg_list = &sge;
  w.num_sge = 1;
  w.send_flags = flags;
  return post(&w);
}

int End::recv(uint64_t id, size_t length, uint64_t offset) {
  ibv_sge sge{reinterpret_cast<uint64_t>(buffer.data()) + offset, static_cast<uint32_t>(length), mr->lkey};
  ibv_recv_wr w{id, nullptr, &sge, 1};
  ibv_recv_wr* bad;
  return srq ? ibv_post_srq_recv(srq, &w, &bad) : ibv_post_recv(qp, &w, &bad);
}

std::vector<ibv_wc> End::poll(int most) {
  std::vector<ibv_wc> wcs(static_cast<size_t>(most));
  const int n = ibv_poll_cq(cq, most, wcs.data());
  EXPECT_GE(n, 0);
  wcs.resize(static_cast<size_t>(std::max(n, 0)));
  return wcs;
}

std::vector<ibv_event_type> End::events() {
  std::vector<ibv_event_type> found;
  ibv_async_event event;
  while (ibv_get_async_event(context, &event) == 0) {
    found.push_back(event.event_type);
    ibv_ack_async_event(&event);
  }
  return found;
}

Pair::Pair(const PairOptions& options, Fabric fabric, FaultScript script, bool connected)
    : sim(std::move(fabric), std::move(script)), a(sim, "a", options), b(sim, "b", options) {
  EXPECT_TRUE(sim.status().ok()) << sim.status().message();
  if (!connected) return;
  EXPECT_EQ(a.connect(b), 0);
  EXPECT_EQ(b.connect(a), 0);
  sim.settle();  // what setting up cost has passed
}

std::vector<ibv_wc> Pair::wait(End& end, size_t count, Time limit) {
  std::vector<ibv_wc> all;
  sim.until(
      [&] {
        for (const ibv_wc& wc : end.poll()) all.push_back(wc);
        return all.size() >= count;
      },
      limit);
  return all;
}

FaultScript faults(const std::string& list) {
  Result<FaultScript> script = parseFaults("{\"faults\": " + list + "}", "test");
  EXPECT_TRUE(script.ok()) << script.message();
  return script.ok() ? script.value() : FaultScript{};
}

std::vector<std::string> statuses(const std::vector<ibv_wc>& wcs) {
  std::vector<std::string> names;
  for (const ibv_wc& wc : wcs) names.emplace_back(statusName(wc.status));
  return names;
}

}  // namespace polyrail::emu
