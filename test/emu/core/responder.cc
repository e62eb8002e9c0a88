// SPDX-License-Identifier: Apache-2.0
// The receiving side of a connected queue pair (RC and UC): packets in order, checked, placed and answered.
#include <algorithm>

#include "test/emu/core/place.h"
#include "test/emu/core/psn.h"
#include "test/emu/core/qp.h"
#include "test/emu/core/world.h"

namespace polyrail::emu {
namespace {

bool isWrite(uint16_t op) { return op == IBV_WR_RDMA_WRITE || op == IBV_WR_RDMA_WRITE_WITH_IMM; }
bool isSend(uint16_t op) { return op == IBV_WR_SEND || op == IBV_WR_SEND_WITH_IMM; }
bool hasImmediate(uint16_t op) { return op == IBV_WR_SEND_WITH_IMM || op == IBV_WR_RDMA_WRITE_WITH_IMM; }

void reply(Qp* qp, PacketKind kind, uint64_t psn, NakCode code = NakCode::kSequence) {
  if (qp->type != IBV_QPT_RC) return;
  if (kind == PacketKind::kAck && !qp->responses.empty()) {  // behind the READ responses before it
    qp->responses.push_back({.kind = kind, .psn = psn});
    return;
  }
  Packet* packet = qp->world->newPacket();
  PacketHeader& h = packet->header;
  h.kind = kind;
  h.nak = code;
  h.rnrTimer = qp->attr.min_rnr_timer;
  h.psn = toWire(psn);
  h.sourceQpn = qp->qpn;
  h.targetQpn = qp->attr.dest_qp_num;
  h.sourceGid = qp->sourceGid;
  h.targetGid = qp->attr.ah_attr.grh.dgid;
  h.targetPort = qp->targetPort;
  h.sourceUid = qp->uid;
  qp->world->send(packet, qp->port, qp->world->now());
}

void raiseOnQp(Qp* qp, ibv_event_type type) {
  ibv_async_event event{};
  event.event_type = type;
  event.element.qp = &qp->face.qp_base;
  raise(qp->context, event);
}

// A request that this queue pair must not carry out: both ends break.
void refuse(Qp* qp, uint64_t psn, NakCode code) {
  reply(qp, PacketKind::kNak, psn, code);
  if (qp->type != IBV_QPT_RC) return;
  if (qp->world->profile().qpAccessEvent && code != NakCode::kOperation)
    raiseOnQp(qp, code == NakCode::kAccess ? IBV_EVENT_QP_ACCESS_ERR : IBV_EVENT_QP_REQ_ERR);
  breakQp(qp);
}

bool takeReceive(Qp* qp) {
  if (qp->srq) return takeFromSrq(qp->srq, &qp->current);
  if (qp->recvs.empty()) return false;
  qp->current = std::move(qp->recvs.front());
  qp->recvs.pop_front();
  return true;
}

void finishReceive(Qp* qp, const PacketHeader& h, ibv_wc_status status) {
  CqEntry entry{{}, qp->uid, 0};
  ibv_wc& wc = entry.wc;
  wc.wr_id = qp->current.wrId;
  wc.status = status;
  wc.qp_num = qp->qpn;
  wc.src_qp = h.sourceQpn;
  wc.slid = h.sourceLid;
  wc.sl = h.serviceLevel;
  wc.byte_len = static_cast<uint32_t>(h.messageLength);
  wc.opcode = isWrite(h.opcode) ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
  if (hasImmediate(h.opcode)) wc.imm_data = h.immediate, wc.wc_flags = IBV_WC_WITH_IMM;
  if (status != IBV_WC_SUCCESS) wc.vendor_err = 0x80u + status;
  qp->receiving = false;
  complete(qp->recvCq, entry, h.solicited);
}

bool mayWrite(const Qp& qp, const PacketHeader& h, std::vector<Piece>* to) {
  if (h.messageLength == 0) return true;  // nothing is accessed, so no key is checked
  const Mr* mr =
      findRegion(*qp.context->device, qp.pd, h.rkey, h.remoteAddress, h.messageLength, IBV_ACCESS_REMOTE_WRITE);
  if (!mr) return false;
  to->push_back({toHost(*mr, h.remoteAddress + h.offset), h.length});
  return true;
}

void accept(Qp* qp, const PacketHeader& h) {
  qp->expectedPsn += h.packets;
  reply(qp, PacketKind::kAck, qp->expectedPsn - 1);
}

void notReady(Qp* qp, uint64_t psn) {
  qp->nakSent = true;  // what is behind it on the wire is dropped without a word
  reply(qp, PacketKind::kRnrNak, psn);
}

// Placement put off by a fault: all but the last segment wait, then the message lands back to front.
bool putOff(Qp* qp, Packet* packet, const std::vector<Piece>& to) {
  World& world = *qp->world;
  if (packet->header.last) {
    place(world, *packet, to);
    for (; !qp->deferred.empty(); qp->deferred.pop_back()) {
      Packet* waiting = qp->deferred.back().packet;
      std::vector<Piece> where;
      if (mayWrite(*qp, waiting->header, &where)) place(world, *waiting, where);
      world.release(waiting);
    }
    return false;
  }
  world.keepPayload(packet);  // it is acknowledged before it lands
  qp->deferred.push_back({packet});
  return true;
}

// Returns whether the packet was kept.
bool handleWrite(Qp* qp, Packet* packet, uint64_t psn) {
  const PacketHeader& h = packet->header;
  if (!(qp->attr.qp_access_flags & IBV_ACCESS_REMOTE_WRITE)) return refuse(qp, psn, NakCode::kInvalidRequest), false;
  std::vector<Piece> to;
  if (!mayWrite(*qp, h, &to)) return refuse(qp, psn, NakCode::kAccess), false;
  const bool notifies = h.last && hasImmediate(h.opcode);
  if (notifies && !takeReceive(qp)) return notReady(qp, psn), false;
  const Fault* fault = qp->port->rules.empty() ? nullptr : qp->world->faults().onPlacement(qp->port, *packet);
  bool kept = false;
  if (fault && fault->act == Act::kReorder)
    kept = putOff(qp, packet, to);
  else if (!fault && !place(*qp->world, *packet, to)) {
    if (notifies) qp->recvs.push_front(std::move(qp->current));
    return false;
  }
  const bool silent = fault && fault->act == Act::kAckWithoutPlacing && !fault->immediate;
  if (notifies && silent && !qp->srq) qp->recvs.push_front(std::move(qp->current));
  if (notifies && !silent) finishReceive(qp, h, IBV_WC_SUCCESS);
  if (qp->state != IBV_QPS_ERR) accept(qp, h);
  return kept;
}

void handleSend(Qp* qp, Packet* packet, uint64_t psn) {
  const PacketHeader& h = packet->header;
  if (h.offset == 0 && !qp->receiving) {
    if (!takeReceive(qp)) return notReady(qp, psn);
    qp->receiving = true;
  }
  if (h.messageLength > qp->current.capacity) {
    const bool operation = qp->world->profile().overlongIsOperation;
    finishReceive(qp, h, operation ? IBV_WC_LOC_QP_OP_ERR : IBV_WC_LOC_LEN_ERR);
    return refuse(qp, psn, operation ? NakCode::kOperation : NakCode::kInvalidRequest);
  }
  std::vector<Piece> to;
  if (!resolve(*qp->context->device, qp->srq ? qp->srq->pd : qp->pd, qp->current.sges, h.offset, h.length,
               IBV_ACCESS_LOCAL_WRITE, &to)) {
    finishReceive(qp, h, IBV_WC_LOC_PROT_ERR);
    return refuse(qp, psn, NakCode::kOperation);
  }
  const Fault* fault = qp->port->rules.empty() ? nullptr : qp->world->faults().onPlacement(qp->port, *packet);
  const bool swallowed = fault && fault->act == Act::kAckWithoutPlacing;
  if (!swallowed && !place(*qp->world, *packet, to)) return;
  if (h.last && swallowed && !fault->immediate) {
    qp->receiving = false;
    if (!qp->srq) qp->recvs.push_front(std::move(qp->current));
  } else if (h.last) {
    finishReceive(qp, h, IBV_WC_SUCCESS);
  }
  if (qp->state != IBV_QPS_ERR) accept(qp, h);
}

uint32_t readPackets(const Qp& qp, const PacketHeader& h) {
  const uint64_t rest = h.messageLength - h.offset;
  return static_cast<uint32_t>(std::max<uint64_t>(1, (rest + qp.mtu() - 1) / qp.mtu()));
}

int64_t queries(const Qp& qp) {
  return std::count_if(qp.responses.begin(), qp.responses.end(),
                       [](const Response& r) { return r.kind != PacketKind::kAck; });
}

// Queues the answer to a READ; asked again, an answer that is still queued is replaced.
void answerRead(Qp* qp, const PacketHeader& h, uint64_t psn) {
  std::erase_if(qp->responses,
                [psn](const Response& r) { return r.kind == PacketKind::kReadResponse && r.psn >= psn; });
  qp->responses.push_back({.kind = PacketKind::kReadResponse,
                           .psn = psn,
                           .address = h.remoteAddress + h.offset,
                           .length = h.messageLength - h.offset,
                           .sent = 0,
                           .rkey = h.rkey});
  qp->port->kick(qp, qp->world->now());
}

void handleRead(Qp* qp, const PacketHeader& h, uint64_t psn) {
  if (!(qp->attr.qp_access_flags & IBV_ACCESS_REMOTE_READ) || queries(*qp) >= qp->attr.max_dest_rd_atomic)
    return refuse(qp, psn, NakCode::kInvalidRequest);
  if (h.messageLength > 0 &&
      !findRegion(*qp->context->device, qp->pd, h.rkey, h.remoteAddress, h.messageLength, IBV_ACCESS_REMOTE_READ))
    return refuse(qp, psn, NakCode::kAccess);
  qp->expectedPsn = psn + readPackets(*qp, h);
  answerRead(qp, h, psn);
}

void answerAtomic(Qp* qp, uint64_t psn, uint64_t value) {
  qp->responses.push_back({.kind = PacketKind::kAtomicResponse, .psn = psn, .value = value});
  qp->port->kick(qp, qp->world->now());
}

void handleAtomic(Qp* qp, const PacketHeader& h, uint64_t psn) {
  const bool allowed = qp->attr.qp_access_flags & IBV_ACCESS_REMOTE_ATOMIC;
  if (!allowed || h.remoteAddress % 8 != 0 || queries(*qp) >= qp->attr.max_dest_rd_atomic)
    return refuse(qp, psn, NakCode::kInvalidRequest);
  const Mr* mr = findRegion(*qp->context->device, qp->pd, h.rkey, h.remoteAddress, 8, IBV_ACCESS_REMOTE_ATOMIC);
  if (!mr) return refuse(qp, psn, NakCode::kAccess);
  auto* word = reinterpret_cast<uint64_t*>(toHost(*mr, h.remoteAddress));
  qp->world->memory().check(word, 8, h);
  uint64_t before = h.compareAdd;
  if (h.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
    before = __atomic_fetch_add(word, h.compareAdd, __ATOMIC_SEQ_CST);
  else
    __atomic_compare_exchange_n(word, &before, h.swap, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  qp->expectedPsn = psn + 1;
  qp->atomics.push_back({psn, before});
  if (qp->atomics.size() > 256) qp->atomics.pop_front();
  answerAtomic(qp, psn, before);
}

void handleDuplicate(Qp* qp, const PacketHeader& h, uint64_t psn) {
  if (h.opcode == IBV_WR_RDMA_READ) {
    if (h.messageLength == 0 ||
        findRegion(*qp->context->device, qp->pd, h.rkey, h.remoteAddress, h.messageLength, IBV_ACCESS_REMOTE_READ))
      answerRead(qp, h, psn);
    return;
  }
  for (const AtomicResult& a : qp->atomics)
    if (a.psn == psn && !isWrite(h.opcode) && !isSend(h.opcode)) return answerAtomic(qp, psn, a.value);
  reply(qp, PacketKind::kAck, qp->expectedPsn - 1);
}

// Both ends must use one MTU: a packet that is not full where it should be, or fuller than it may be, is invalid.
bool mtuFits(const Qp& qp, const PacketHeader& h) {
  return h.mtu == qp.mtu() || h.messageLength <= std::min<uint64_t>(h.mtu, qp.mtu());
}

bool handleInOrder(Qp* qp, Packet* packet, uint64_t psn) {
  const PacketHeader& h = packet->header;
  qp->nakSent = false;
  if (!mtuFits(*qp, h)) return refuse(qp, psn, NakCode::kInvalidRequest), false;
  if (isWrite(h.opcode)) return handleWrite(qp, packet, psn);
  if (isSend(h.opcode))
    handleSend(qp, packet, psn);
  else if (h.opcode == IBV_WR_RDMA_READ)
    handleRead(qp, h, psn);
  else
    handleAtomic(qp, h, psn);
  return false;
}

// UC has no way to ask again: a gap costs the message, the next one starts afresh.
bool startsAfresh(Qp* qp, const PacketHeader& h, uint64_t psn) {
  if (h.offset != 0) return false;
  if (qp->receiving && !qp->srq) qp->recvs.push_front(std::move(qp->current));
  qp->receiving = false;
  qp->expectedPsn = psn;
  return true;
}

}  // namespace

void handleRequest(Qp* qp, Packet* packet) {
  World& world = *qp->world;
  const PacketHeader h = packet->header;
  const bool receives = qp->state == IBV_QPS_RTR || qp->state == IBV_QPS_RTS || qp->state == IBV_QPS_SQD;
  const bool fromPeer = h.sourceQpn == qp->attr.dest_qp_num || packet->held;
  if (!receives || !fromPeer || h.qpType != qp->type) return world.release(packet);
  const uint64_t psn = packet->held ? qp->expectedPsn : fromWire(h.psn, qp->expectedPsn);
  bool kept = false;
  if (psn == qp->expectedPsn || (qp->type == IBV_QPT_UC && startsAfresh(qp, h, psn))) {
    kept = handleInOrder(qp, packet, psn);
  } else if (qp->type == IBV_QPT_RC && psn < qp->expectedPsn) {
    handleDuplicate(qp, h, psn);
  } else if (qp->type == IBV_QPT_RC && !qp->nakSent) {
    qp->nakSent = true;
    reply(qp, PacketKind::kNak, qp->expectedPsn);
  }
  if (!kept) world.release(packet);
}

}  // namespace polyrail::emu
