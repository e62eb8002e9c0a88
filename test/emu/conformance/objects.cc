// SPDX-License-Identifier: Apache-2.0
// Cases: what the objects themselves allow.
#include <cerrno>

#include "test/emu/conformance/link.h"

namespace polyrail::conformance {
namespace {

LinkOptions unconnected() {
  LinkOptions o;
  o.connected = false;
  return o;
}

void transitions(const Rails& rails) {
  Link l(rails, unconnected());
  check(l.a.to(IBV_QPS_RTS) != 0, "RESET to RTS was allowed");
  same(l.a.init(), 0, "modify to INIT");
  check(l.a.toSend() != 0, "INIT to RTS was allowed");
  same(l.a.receive(1, 8), 0, "post receive in INIT");
  check(l.a.send(1, 8) != 0, "post send in INIT was allowed");
}

void busyObjects(const Rails& rails) {
  Link l(rails);
  check(ibv_dealloc_pd(l.a.pd) != 0, "a PD in use was freed");
  same(l.a.write(1, l.b, 8), 0, "post after that");
  same(l.a.wait(1).size(), 1u, "completions");
}

void otherProtectionDomain(const Rails& rails) {
  Link l(rails);
  ibv_pd* other = ibv_alloc_pd(l.b.context);
  ibv_mr* mr = ibv_reg_mr(other, l.b.memory.data(), 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
  check(mr != nullptr, "ibv_reg_mr");
  ibv_sge list = l.a.sge(0, 8);
  ibv_send_wr wr = l.a.request(1, IBV_WR_RDMA_WRITE, l.b, &list, 1);
  wr.wr.rdma.rkey = mr->rkey;
  same(l.a.post(&wr), 0, "post");
  const auto done = l.a.wait(1);
  ibv_dereg_mr(mr);
  ibv_dealloc_pd(other);
  same(done.size(), 1u, "completions");
  same(int{done[0].status}, int{IBV_WC_REM_ACCESS_ERR}, "status");
}

void ioVirtualAddress(const Rails& rails) {
  Link l(rails);
  constexpr uint64_t kIova = 1 << 20;
  const auto start = reinterpret_cast<uint64_t>(l.b.memory.data());
  uint8_t* page = l.b.memory.data() + (4096 - start % 4096) % 4096;
  check(ibv_reg_mr_iova2(l.b.pd, page, 8192, kIova + 8, IBV_ACCESS_LOCAL_WRITE) == nullptr,
        "an odd offset was allowed");
  ibv_mr* mr = ibv_reg_mr_iova2(l.b.pd, page, 8192, kIova,
                                IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_RELAXED_ORDERING);
  check(mr != nullptr, "ibv_reg_mr_iova2");
  l.a.memory[0] = 0x5a;
  ibv_sge list = l.a.sge(0, 1);
  ibv_send_wr wr = l.a.request(1, IBV_WR_RDMA_WRITE, l.b, &list, 1);
  wr.wr.rdma = {kIova + 4097, mr->rkey};
  same(l.a.post(&wr), 0, "post");
  const auto done = l.a.wait(1);
  ibv_dereg_mr(mr);
  same(done.size(), 1u, "completions");
  same(int{done[0].status}, int{IBV_WC_SUCCESS}, "status");
  same(int{page[4097]}, 0x5a, "byte");
}

void remoteWriteNeedsLocalWrite(const Rails& rails) {
  Link l(rails, unconnected());
  check(ibv_reg_mr(l.a.pd, l.a.memory.data(), 64, IBV_ACCESS_REMOTE_WRITE) == nullptr, "it was registered");
}

void dmabufWithoutDescriptor(const Rails& rails) {
  Link l(rails, unconnected());
  check(ibv_reg_dmabuf_mr(l.a.pd, 0, 4096, 0, -1, IBV_ACCESS_LOCAL_WRITE) == nullptr, "it was registered");
  check(errno == EOPNOTSUPP || errno == EPROTONOSUPPORT || errno == EBADF, "errno " + std::to_string(errno));
}

void eventsWhenArmed(const Rails& rails) {
  Link l(rails);
  same(ibv_req_notify_cq(l.b.cq, 0), 0, "ibv_req_notify_cq");
  same(l.b.receive(1, 64), 0, "post receive");
  same(l.a.send(1, 8), 0, "post");
  ibv_cq* cq = nullptr;
  void* user = nullptr;
  same(ibv_get_cq_event(l.b.channel, &cq, &user), 0, "ibv_get_cq_event");
  ibv_ack_cq_events(cq, 1);
  check(cq == l.b.cq && user == &l.b, "of another queue");
  same(l.b.wait(1).size(), 1u, "completions");
}

void attributes(const Rails& rails) {
  Link l(rails);
  ibv_device_attr device{};
  ibv_port_attr port{};
  same(ibv_query_device(l.a.context, &device), 0, "ibv_query_device");
  same(ibv_query_port(l.a.context, 1, &port), 0, "ibv_query_port");
  ibv_port_attr none{};
  check(ibv_query_port(l.a.context, 9, &none) != 0, "port 9 was found");
  check(device.phys_port_cnt == 1 && device.max_qp > 0 && device.max_sge >= 4, "device attributes");
  same(int{port.state}, int{IBV_PORT_ACTIVE}, "port state");
  ibv_qp_attr attr{};
  ibv_qp_init_attr init{};
  same(ibv_query_qp(l.a.qp, &attr, IBV_QP_STATE | IBV_QP_DEST_QPN | IBV_QP_PATH_MTU, &init), 0, "ibv_query_qp");
  same(attr.dest_qp_num, l.b.qp->qp_num, "dest_qp_num");
  same(int{attr.path_mtu}, int{IBV_MTU_1024}, "path_mtu");
  check(ibv_query_gid(l.a.context, 1, port.gid_tbl_len - 1, &l.a.gid) == 0, "the table's last GID was not found");
  check(ibv_query_gid(l.a.context, 1, port.gid_tbl_len, &l.a.gid) != 0, "a GID beyond the table was found");
}

}  // namespace

const std::vector<Case>& objectCases() {
  static const std::vector<Case> cases = {{"transitions", transitions},
                                          {"busy-objects", busyObjects},
                                          {"other-pd", otherProtectionDomain},
                                          {"iova", ioVirtualAddress},
                                          {"access-flags", remoteWriteNeedsLocalWrite},
                                          {"dmabuf-no-fd", dmabufWithoutDescriptor},
                                          {"cq-events", eventsWhenArmed},
                                          {"attributes", attributes}};
  return cases;
}

}  // namespace polyrail::conformance
