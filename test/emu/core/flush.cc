// SPDX-License-Identifier: Apache-2.0
// What becomes of outstanding work when a queue pair goes to ERR.
#include "test/emu/core/qp.h"
#include "test/emu/core/world.h"

namespace polyrail::emu {
namespace {

void flushReceive(Qp* qp, const RecvWqe& wqe) {
  CqEntry entry{{}, qp->uid, 0};
  entry.wc.wr_id = wqe.wrId;
  entry.wc.status = IBV_WC_WR_FLUSH_ERR;
  entry.wc.qp_num = qp->qpn;
  entry.wc.opcode = IBV_WC_RECV;
  entry.wc.vendor_err = 0x80u + IBV_WC_WR_FLUSH_ERR;
  if (qp->world->profile().poisonOnError) {
    entry.wc.opcode = static_cast<ibv_wc_opcode>(0x7f);
    entry.wc.byte_len = 0xdeadbeef;
  }
  complete(qp->recvCq, entry, false);
}

void flushNow(Qp* qp) {
  qp->pendingFlushes = 0;
  while (qp->una < qp->posted && qp->state == IBV_QPS_ERR) {
    qp->next = std::max(qp->next, qp->una + 1);
    finishSend(qp, &qp->wqe(qp->una), IBV_WC_WR_FLUSH_ERR);
  }
  while (!qp->recvs.empty() && qp->state == IBV_QPS_ERR) {
    const RecvWqe wqe = std::move(qp->recvs.front());
    qp->recvs.pop_front();
    flushReceive(qp, wqe);
  }
}

void flushLater(Qp* qp, Time delay) {
  if (qp->pendingFlushes++ > 0) return;
  qp->world->at(
      qp->world->now() + delay,
      [](void* self, uint64_t uid) {
        Qp* found = static_cast<World*>(self)->findUid(uid);
        if (found && found->state == IBV_QPS_ERR) flushNow(found);
      },
      qp->world, qp->uid);
}

}  // namespace

void flushWork(Qp* qp) {
  if (qp->port && qp->port->flushNever) return;
  if (qp->port && qp->port->flushDelay > 0) return flushLater(qp, qp->port->flushDelay);
  flushNow(qp);
}

void breakQp(Qp* qp) {
  if (qp->state == IBV_QPS_ERR || qp->state == IBV_QPS_RESET) return;
  World& world = *qp->world;
  world.trace.add(world.now(), "broken", qp->qpn);
  qp->state = IBV_QPS_ERR;
  world.keepPayloadsOf(qp->uid);
  if (qp->port) qp->port->forget(qp);
  qp->inReady = false;
  qp->responses.clear();
  if (qp->receiving && qp->srq) qp->receiving = false;  // the SRQ's request is used up
  if (qp->receiving) {
    qp->receiving = false;
    qp->recvs.push_front(std::move(qp->current));
  }
  flushWork(qp);
  if (!qp->srq) return;
  ibv_async_event event{};
  event.event_type = IBV_EVENT_QP_LAST_WQE_REACHED;
  event.element.qp = &qp->face.qp_base;
  raise(qp->context, event);
}

}  // namespace polyrail::emu
