// SPDX-License-Identifier: Apache-2.0
// The sending side of a queue pair: what comes back, and what happens when nothing does.
#include <algorithm>

#include "test/emu/core/place.h"
#include "test/emu/core/psn.h"
#include "test/emu/core/qp.h"
#include "test/emu/core/world.h"

namespace polyrail::emu {
namespace {

// IB spec vol. 1, table 46: the RNR timer field in units of 10 us.
constexpr int kRnrTens[32] = {65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
                              48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
                              2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};

ibv_wc_opcode completionOpcode(ibv_wr_opcode op) {
  switch (op) {
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM: return IBV_WC_RDMA_WRITE;
    case IBV_WR_RDMA_READ: return IBV_WC_RDMA_READ;
    case IBV_WR_ATOMIC_CMP_AND_SWP: return IBV_WC_COMP_SWAP;
    case IBV_WR_ATOMIC_FETCH_AND_ADD: return IBV_WC_FETCH_ADD;
    default: return IBV_WC_SEND;
  }
}

bool wantsAnswer(const SendWqe& wqe) {
  return wqe.opcode == IBV_WR_RDMA_READ || wqe.opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
         wqe.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

void kickLater(Qp* qp, Time when) {
  qp->world->at(
      when,
      [](void* self, uint64_t uid) {
        World& world = *static_cast<World*>(self);
        Qp* found = world.findUid(uid);
        if (found && found->port) found->port->kick(found, world.now());
      },
      qp->world, qp->uid);
}

// Work that was on its way when the path broke is told apart by one profile.
ibv_wc_status exhausted(const Qp& qp) {
  const Port* target = qp.world->port(qp.targetPort);
  const Time broken = std::max(qp.port->brokenSince, target ? target->brokenSince : -1);
  const bool interrupted = qp.ring[qp.una % qp.ring.size()].posted <= broken;
  return qp.world->profile().interruptedIsFlushed && interrupted ? IBV_WC_WR_FLUSH_ERR : IBV_WC_RETRY_EXC_ERR;
}

void progress(Qp* qp) {
  qp->retriesLeft = qp->attr.retry_cnt;
  qp->rnrLeft = qp->attr.rnr_retry;
  qp->oldestSent = qp->world->present();  // late processing must not look like a silent peer
  qp->goingBack = false;
}

// A part of a work request is acknowledged.
void acknowledgePart(Qp* qp, SendWqe* wqe, uint64_t psn) {
  if (psn < wqe->firstPsn) return;
  const uint64_t bytes = std::min(wqe->sent, (psn + 1 - wqe->firstPsn) * qp->mtu());
  if (bytes <= wqe->acked) return;
  qp->inFlight -= static_cast<int64_t>(bytes - wqe->acked);
  wqe->acked = bytes;
  progress(qp);
}

// Everything up to psn has arrived. Work requests end in order; an acknowledgement beyond a READ that has no answer
// means that the answer was lost (IB spec vol. 1, 9.7.5.1.2).
void acknowledge(Qp* qp, uint64_t psn) {
  while (qp->una < qp->posted && qp->state != IBV_QPS_ERR) {
    SendWqe* wqe = &qp->wqe(qp->una);
    if (!wqe->started) return;
    const uint64_t end = wqe->firstPsn + wqe->packets - 1;
    if (wantsAnswer(*wqe) && !wqe->responded) {
      if (psn > end && qp->una < qp->next && !qp->goingBack) retry(qp);
      return;
    }
    if (psn < end && !wqe->responded) return acknowledgePart(qp, wqe, psn);
    if (qp->una >= qp->next) return acknowledgePart(qp, wqe, psn);  // stale: it is being sent again
    progress(qp);
    finishSend(qp, wqe, IBV_WC_SUCCESS);
  }
}

void receiveNotReady(Qp* qp, uint64_t psn, uint8_t timer) {
  acknowledge(qp, psn - 1);
  if (qp->state == IBV_QPS_ERR || !qp->outstanding()) return;
  if (qp->rnrLeft == 0) return failOldest(qp, IBV_WC_RNR_RETRY_EXC_ERR);
  if (qp->attr.rnr_retry != 7) qp->rnrLeft--;
  const Time now = qp->world->now();
  qp->rnrUntil = now + Time{kRnrTens[timer & 31]} * 10'000;
  resend(qp);
  kickLater(qp, qp->rnrUntil);
}

void refused(Qp* qp, uint64_t psn, NakCode code) {
  acknowledge(qp, psn - 1);
  if (qp->state == IBV_QPS_ERR || !qp->outstanding()) return;
  switch (code) {
    case NakCode::kSequence: return retry(qp);
    case NakCode::kInvalidRequest: return failOldest(qp, IBV_WC_REM_INV_REQ_ERR);
    case NakCode::kAccess: return failOldest(qp, IBV_WC_REM_ACCESS_ERR);
    case NakCode::kOperation: return failOldest(qp, IBV_WC_REM_OP_ERR);
  }
}

SendWqe* findQuery(Qp* qp, uint64_t psn) {
  for (uint64_t i = qp->una; i < qp->next; i++) {
    SendWqe* wqe = &qp->wqe(i);
    if (psn >= wqe->firstPsn && psn < wqe->firstPsn + wqe->packets) return wantsAnswer(*wqe) ? wqe : nullptr;
  }
  return nullptr;
}

void answered(Qp* qp, SendWqe* wqe) {
  wqe->responded = true;
  qp->readsOut--;
  progress(qp);
  acknowledge(qp, wqe->firstPsn + wqe->packets - 1);
  qp->port->kick(qp, qp->world->now());
}

void takeAnswer(Qp* qp, Packet* packet, uint64_t psn) {
  SendWqe* wqe = findQuery(qp, psn);
  if (!wqe || wqe->responded) return;
  const uint64_t expected = wqe->firstPsn + wqe->acked / qp->mtu();
  if (psn > expected && !qp->goingBack) retry(qp);
  if (psn != expected) return;
  acknowledge(qp, wqe->firstPsn - 1);
  if (qp->state == IBV_QPS_ERR || qp->una == qp->next || wqe != &qp->wqe(qp->una))
    return;  // those before it come first
  std::vector<Piece> to;
  if (packet->header.kind == PacketKind::kAtomicResponse) {
    packet->own.assign(reinterpret_cast<const uint8_t*>(&packet->header.compareAdd),
                       reinterpret_cast<const uint8_t*>(&packet->header.compareAdd) + 8);
    packet->owned = true;
    packet->header.length = 8;
  }
  const uint64_t length = std::min<uint64_t>(packet->header.length, wqe->length - wqe->acked);
  if (!resolve(*qp->context->device, qp->pd, wqe->sges, wqe->acked, length, IBV_ACCESS_LOCAL_WRITE, &to))
    return failOldest(qp, IBV_WC_LOC_PROT_ERR);
  if (!place(*qp->world, *packet, to)) return;
  wqe->acked += length;
  progress(qp);
  if (wqe->acked == wqe->length) answered(qp, wqe);
}

}  // namespace

void retry(Qp* qp) {
  const bool forever = qp->world->profile().retrySevenIsForever && qp->attr.retry_cnt == 7;
  if (qp->retriesLeft == 0 && !forever) return failOldest(qp, exhausted(*qp));
  if (!forever) qp->retriesLeft--;
  qp->goingBack = true;
  qp->world->trace.add(qp->world->now(), "retry", qp->qpn, toWire(qp->wqe(qp->una).firstPsn));
  resend(qp);
  qp->port->kick(qp, qp->world->now());
}

void handleReply(Qp* qp, Packet* packet) {
  World& world = *qp->world;
  const PacketHeader h = packet->header;
  if (qp->state == IBV_QPS_RTS || qp->state == IBV_QPS_SQD) {
    const uint64_t psn =
        fromWire(h.psn, qp->una < qp->posted && qp->wqe(qp->una).started ? qp->wqe(qp->una).firstPsn : qp->nextPsn);
    switch (h.kind) {
      case PacketKind::kAck: acknowledge(qp, psn); break;
      case PacketKind::kNak: refused(qp, psn, h.nak); break;
      case PacketKind::kRnrNak: receiveNotReady(qp, psn, h.rnrTimer); break;
      default: takeAnswer(qp, packet, psn);
    }
    if (qp->port) qp->port->kick(qp, world.now());
  }
  world.release(packet);
}

void finishSend(Qp* qp, SendWqe* wqe, ibv_wc_status status) {
  World& world = *qp->world;
  if (status == IBV_WC_SUCCESS && qp->port && qp->port->endings > 0) {
    qp->port->endings--;
    status = qp->port->ending;
  }
  qp->inFlight -= static_cast<int64_t>(wantsAnswer(*wqe) ? 0 : wqe->sent - wqe->acked);
  qp->una++;
  if (!world.profile().slotsFreedByPolling) qp->freed = qp->una;
  if (wqe->signaled || status != IBV_WC_SUCCESS) {
    CqEntry entry{{}, qp->uid, qp->una};
    entry.wc.wr_id = wqe->wrId;
    entry.wc.status = status;
    entry.wc.qp_num = qp->qpn;
    entry.wc.opcode = completionOpcode(wqe->opcode);
    entry.wc.byte_len = static_cast<uint32_t>(wqe->length);
    if (status != IBV_WC_SUCCESS) entry.wc.vendor_err = 0x80u + status;
    if (status != IBV_WC_SUCCESS && world.profile().poisonOnError) {
      entry.wc.opcode = static_cast<ibv_wc_opcode>(0x7f);
      entry.wc.byte_len = 0xdeadbeef;
    }
    complete(qp->sendCq, entry, false);
  }
  if (status != IBV_WC_SUCCESS && qp->state != IBV_QPS_ERR) return breakQp(qp);
  if (qp->una < qp->posted && qp->una == qp->next && qp->wqe(qp->una).localError != IBV_WC_SUCCESS)
    failOldest(qp, qp->wqe(qp->una).localError);
}

void failOldest(Qp* qp, ibv_wc_status status) {
  if (qp->next == qp->una) qp->next++;
  finishSend(qp, &qp->wqe(qp->una), status);
}

}  // namespace polyrail::emu
