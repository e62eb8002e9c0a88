// SPDX-License-Identifier: Apache-2.0
// The ibv_wr_* way of posting: work requests are collected between start and complete, then posted as one list.
#include "test/emu/verbs/face.h"

namespace polyrail::emu {
namespace {

Qp* of(ibv_qp_ex* face) { return reinterpret_cast<Qp*>(face); }

ibv_send_wr& begin(ibv_qp_ex* face, ibv_wr_opcode opcode) {
  Qp* qp = of(face);
  ibv_send_wr wr{};
  wr.wr_id = face->wr_id;
  wr.opcode = opcode;
  wr.send_flags = face->wr_flags;
  qp->batch.push_back(wr);
  qp->batchSges.emplace_back();
  return qp->batch.back();
}

void remote(ibv_qp_ex* qp, ibv_wr_opcode opcode, uint32_t rkey, uint64_t address, __be32 immediate) {
  ibv_send_wr& wr = begin(qp, opcode);
  wr.wr.rdma.remote_addr = address;
  wr.wr.rdma.rkey = rkey;
  wr.imm_data = immediate;
}

void wrWrite(ibv_qp_ex* qp, uint32_t rkey, uint64_t address) { remote(qp, IBV_WR_RDMA_WRITE, rkey, address, 0); }
void wrRead(ibv_qp_ex* qp, uint32_t rkey, uint64_t address) { remote(qp, IBV_WR_RDMA_READ, rkey, address, 0); }
void wrWriteImm(ibv_qp_ex* qp, uint32_t rkey, uint64_t address, __be32 immediate) {
  remote(qp, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, address, immediate);
}
void wrSend(ibv_qp_ex* qp) { begin(qp, IBV_WR_SEND); }
void wrSendImm(ibv_qp_ex* qp, __be32 immediate) { begin(qp, IBV_WR_SEND_WITH_IMM).imm_data = immediate; }

void wrCompareSwap(ibv_qp_ex* qp, uint32_t rkey, uint64_t address, uint64_t compare, uint64_t swap) {
  begin(qp, IBV_WR_ATOMIC_CMP_AND_SWP).wr.atomic = {address, compare, swap, rkey};
}
void wrFetchAdd(ibv_qp_ex* qp, uint32_t rkey, uint64_t address, uint64_t add) {
  begin(qp, IBV_WR_ATOMIC_FETCH_AND_ADD).wr.atomic = {address, add, 0, rkey};
}

void wrUdAddress(ibv_qp_ex* qp, ibv_ah* ah, uint32_t remoteQpn, uint32_t remoteQkey) {
  of(qp)->batch.back().wr.ud = {ah, remoteQpn, remoteQkey};
}

void wrSgeList(ibv_qp_ex* qp, size_t count, const ibv_sge* list) {
  of(qp)->batchSges.back().assign(list, list + count);
}
void wrSge(ibv_qp_ex* qp, uint32_t lkey, uint64_t address, uint32_t length) {
  of(qp)->batchSges.back() = {{address, length, lkey}};
}

// Inline data is copied at once: the caller may reuse it before the list is posted.
void wrInlineList(ibv_qp_ex* qp, size_t count, const ibv_data_buf* list) {
  std::vector<uint8_t>& copy = of(qp)->batchInline.emplace_back();
  for (size_t i = 0; i < count; i++) {
    const auto* from = static_cast<const uint8_t*>(list[i].addr);
    copy.insert(copy.end(), from, from + list[i].length);
  }
  of(qp)->batch.back().send_flags |= IBV_SEND_INLINE;
  wrSge(qp, 0, reinterpret_cast<uint64_t>(copy.data()), static_cast<uint32_t>(copy.size()));
}
void wrInline(ibv_qp_ex* qp, void* address, size_t length) {
  const ibv_data_buf one{address, length};
  wrInlineList(qp, 1, &one);
}

void clear(Qp* qp) {
  qp->batch.clear();
  qp->batchSges.clear();
  qp->batchInline.clear();
}

void wrStart(ibv_qp_ex* qp) { clear(of(qp)); }
void wrAbort(ibv_qp_ex* qp) { clear(of(qp)); }

int wrComplete(ibv_qp_ex* face) {
  Qp* qp = of(face);
  for (size_t i = 0; i < qp->batch.size(); i++) {
    qp->batch[i].sg_list = qp->batchSges[i].data();
    qp->batch[i].num_sge = static_cast<int>(qp->batchSges[i].size());
    qp->batch[i].next = i + 1 < qp->batch.size() ? &qp->batch[i + 1] : nullptr;
  }
  ibv_send_wr* bad = nullptr;
  ibv_qp* plain = &face->qp_base;
  const int error = qp->batch.empty() ? 0 : plain->context->ops.post_send(plain, qp->batch.data(), &bad);
  clear(qp);
  return error;
}

}  // namespace

void setWorkRequestOps(Qp* qp) {
  ibv_qp_ex& f = qp->face;
  f.wr_start = wrStart;
  f.wr_complete = wrComplete;
  f.wr_abort = wrAbort;
  f.wr_rdma_write = wrWrite;
  f.wr_rdma_write_imm = wrWriteImm;
  f.wr_rdma_read = wrRead;
  f.wr_send = wrSend;
  f.wr_send_imm = wrSendImm;
  f.wr_atomic_cmp_swp = wrCompareSwap;
  f.wr_atomic_fetch_add = wrFetchAdd;
  f.wr_set_ud_addr = wrUdAddress;
  f.wr_set_sge = wrSge;
  f.wr_set_sge_list = wrSgeList;
  f.wr_set_inline_data = wrInline;
  f.wr_set_inline_data_list = wrInlineList;
}

}  // namespace polyrail::emu
