// SPDX-License-Identifier: Apache-2.0
// Posting work requests: everything that can be refused at once is refused here, with *bad at the culprit.
#include <cerrno>

#include "test/emu/core/qp.h"
#include "test/emu/core/world.h"

namespace polyrail::emu {
namespace {

bool hasOpcode(ibv_qp_type type, ibv_wr_opcode opcode) {
  switch (opcode) {
    case IBV_WR_SEND:
    case IBV_WR_SEND_WITH_IMM: return true;
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM: return type != IBV_QPT_UD;
    case IBV_WR_RDMA_READ:
    case IBV_WR_ATOMIC_CMP_AND_SWP:
    case IBV_WR_ATOMIC_FETCH_AND_ADD: return type == IBV_QPT_RC;
    default: return false;
  }
}

int checkSend(const Qp& qp, const ibv_send_wr& wr) {
  if (!hasOpcode(qp.type, wr.opcode)) return EINVAL;
  if (wr.num_sge < 0 || wr.num_sge > static_cast<int>(qp.cap.max_send_sge)) return EINVAL;
  if (qp.posted - qp.freed >= qp.ring.size()) return ENOMEM;
  uint64_t length = 0;
  for (int i = 0; i < wr.num_sge; i++) length += wr.sg_list[i].length;
  if (length > uint64_t{1} << 31) return EINVAL;
  if ((wr.send_flags & IBV_SEND_INLINE) && (length > qp.cap.max_inline_data || wr.opcode == IBV_WR_RDMA_READ))
    return EINVAL;
  if (qp.type == IBV_QPT_UD && !wr.wr.ud.ah) return EINVAL;
  return 0;
}

void copyInline(const ibv_send_wr& wr, SendWqe* wqe) {
  wqe->inlineData.clear();
  for (int i = 0; i < wr.num_sge; i++) {
    const auto* from = reinterpret_cast<const uint8_t*>(wr.sg_list[i].addr);
    wqe->inlineData.insert(wqe->inlineData.end(), from, from + wr.sg_list[i].length);
  }
  wqe->sges.clear();
}

void readOperation(const ibv_send_wr& wr, ibv_qp_type type, SendWqe* wqe) {
  const bool atomic = wr.opcode == IBV_WR_ATOMIC_CMP_AND_SWP || wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
  if (type == IBV_QPT_UD) {
    wqe->ah = reinterpret_cast<const Ah*>(wr.wr.ud.ah);
    wqe->remoteQpn = wr.wr.ud.remote_qpn;
    wqe->remoteQkey = wr.wr.ud.remote_qkey;
  } else if (atomic) {
    wqe->remoteAddress = wr.wr.atomic.remote_addr;
    wqe->rkey = wr.wr.atomic.rkey;
    wqe->compareAdd = wr.wr.atomic.compare_add;
    wqe->swap = wr.wr.atomic.swap;
  } else {
    wqe->remoteAddress = wr.wr.rdma.remote_addr;
    wqe->rkey = wr.wr.rdma.rkey;
  }
}

void fill(const Qp& qp, const ibv_send_wr& wr, SendWqe* wqe) {
  wqe->wrId = wr.wr_id;
  wqe->opcode = wr.opcode;
  wqe->flags = wr.send_flags;
  wqe->signaled = qp.signalAll || (wr.send_flags & IBV_SEND_SIGNALED);
  wqe->immediate = wr.imm_data;
  wqe->sges.assign(wr.sg_list, wr.sg_list + wr.num_sge);
  wqe->length = 0;
  for (const ibv_sge& sge : wqe->sges) wqe->length += sge.length;
  if (wr.send_flags & IBV_SEND_INLINE) copyInline(wr, wqe);
  readOperation(wr, qp.type, wqe);
  const uint64_t mtu = qp.type == IBV_QPT_UD ? wqe->length + 1 : qp.mtu();
  wqe->packets = static_cast<uint32_t>(std::max<uint64_t>(1, (wqe->length + mtu - 1) / mtu));
  wqe->started = wqe->responded = false;
  wqe->sent = wqe->acked = 0;
  wqe->localError = IBV_WC_SUCCESS;
  wqe->posted = qp.world->hostNow(qp.context->device->host);
}

}  // namespace

int postSend(Qp* qp, ibv_send_wr* wr, ibv_send_wr** bad) {
  int error = 0;
  if (qp->state == IBV_QPS_RESET || qp->state == IBV_QPS_INIT || qp->state == IBV_QPS_RTR) error = EINVAL;
  for (; wr && !error; wr = wr->next) {
    if ((error = checkSend(*qp, *wr)) != 0) break;
    fill(*qp, *wr, &qp->wqe(qp->posted++));
    if (qp->port) qp->port->reads += wr->opcode == IBV_WR_RDMA_READ;
  }
  if (error) *bad = wr;
  if (qp->state == IBV_QPS_ERR || qp->state == IBV_QPS_SQE)
    flushWork(qp);
  else if (qp->port)
    qp->port->kick(qp, qp->world->hostNow(qp->context->device->host));
  return error;
}

int postRecv(Qp* qp, ibv_recv_wr* wr, ibv_recv_wr** bad) {
  int error = qp->state == IBV_QPS_RESET || qp->srq ? EINVAL : 0;
  for (; wr && !error; wr = error ? wr : wr->next) {
    RecvWqe wqe;
    error = qp->recvs.size() >= qp->cap.max_recv_wr ? ENOMEM : readRecvWr(*wr, qp->cap.max_recv_sge, &wqe);
    if (!error) qp->recvs.push_back(std::move(wqe));
  }
  if (error) *bad = wr;
  if (qp->state == IBV_QPS_ERR && !qp->world->profile().deafInError) flushWork(qp);
  return error;
}

}  // namespace polyrail::emu
