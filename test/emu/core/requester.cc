// SPDX-License-Identifier: Apache-2.0
// The sending side of a queue pair: which packet leaves next.
#include <algorithm>

#include "test/emu/core/psn.h"
#include "test/emu/core/qp.h"
#include "test/emu/core/world.h"

namespace polyrail::emu {
namespace {

bool isAtomic(ibv_wr_opcode op) { return op == IBV_WR_ATOMIC_CMP_AND_SWP || op == IBV_WR_ATOMIC_FETCH_AND_ADD; }
bool wantsAnswer(ibv_wr_opcode op) { return op == IBV_WR_RDMA_READ || isAtomic(op); }

void addressPacket(const Qp& qp, Packet* packet) {
  PacketHeader& h = packet->header;
  h.qpType = static_cast<uint8_t>(qp.type);
  h.mtu = static_cast<uint16_t>(qp.mtu());
  h.sourceQpn = qp.qpn;
  h.sourceUid = qp.uid;
  h.sourceGid = qp.sourceGid;
  h.sourceLid = qp.port->spec->lid;
  h.targetQpn = qp.attr.dest_qp_num;
  h.targetPort = qp.targetPort;
  h.targetGid = qp.attr.ah_attr.grh.dgid;
  h.serviceLevel = qp.attr.ah_attr.sl;
}

// What is wrong with a work request before its first packet leaves, or SUCCESS.
ibv_wc_status examine(const Qp& qp, const SendWqe& wqe) {
  const Profile& profile = qp.world->profile();
  if (!qp.port->admin && profile.adminDown != IBV_WC_SUCCESS) return profile.adminDown;
  if (qp.port->spec->ethernet && profile.gidGone != IBV_WC_SUCCESS && qp.type != IBV_QPT_UD &&
      qp.port->gidIndex(qp.sourceGid) < 0)
    return profile.gidGone;
  if (wantsAnswer(wqe.opcode) && qp.attr.max_rd_atomic == 0) return IBV_WC_LOC_QP_OP_ERR;
  if (isAtomic(wqe.opcode) && wqe.length != 8) return IBV_WC_LOC_LEN_ERR;
  if (qp.type == IBV_QPT_UD && wqe.length > static_cast<uint64_t>(qp.port->spec->mtu)) return IBV_WC_LOC_LEN_ERR;
  return checkLocalKeys(qp, wqe) ? IBV_WC_SUCCESS : profile.badLocalKey;
}

void payloadOf(const Qp& qp, const SendWqe& wqe, uint64_t length, Packet* packet) {
  if (wqe.flags & IBV_SEND_INLINE) {
    const auto from = wqe.inlineData.begin() + static_cast<ptrdiff_t>(wqe.sent);
    packet->own.assign(from, from + static_cast<ptrdiff_t>(length));
    packet->owned = true;
    return;
  }
  resolve(*qp.context->device, qp.pd, wqe.sges, wqe.sent, length, 0, &packet->pieces);
}

void begin(Qp* qp, SendWqe* wqe) {
  if (wqe->started) return;
  wqe->started = true;
  wqe->firstPsn = qp->nextPsn;
  qp->nextPsn += wqe->packets;
}

Packet* requestPacket(Qp* qp, SendWqe* wqe) {
  Packet* packet = qp->world->newPacket();
  addressPacket(*qp, packet);
  PacketHeader& h = packet->header;
  h.opcode = static_cast<uint16_t>(wqe->opcode);
  h.psn = toWire(wqe->firstPsn + wqe->sent / qp->mtu());
  h.offset = wqe->sent;
  h.messageLength = wqe->length;
  h.remoteAddress = wqe->remoteAddress;
  h.rkey = wqe->rkey;
  h.immediate = wqe->immediate;
  h.compareAdd = wqe->compareAdd;
  h.swap = wqe->swap;
  h.solicited = wqe->flags & IBV_SEND_SOLICITED;
  return packet;
}

// READ or atomic: one small packet; the answer brings the data.
Packet* sendQuery(Qp* qp, SendWqe* wqe) {
  wqe->sent = wqe->acked;  // what is already here is not asked for again
  Packet* packet = requestPacket(qp, wqe);
  wqe->sent = wqe->length;
  qp->readsOut++;
  qp->next++;
  return packet;
}

Packet* sendSegment(Qp* qp, SendWqe* wqe) {
  const uint64_t mtu = qp->mtu();
  const uint64_t most = std::max<uint64_t>(mtu, static_cast<uint64_t>(qp->world->fabric().segment) / mtu * mtu);
  const uint64_t length = std::min(wqe->length - wqe->sent, qp->type == IBV_QPT_UD ? wqe->length : most);
  Packet* packet = requestPacket(qp, wqe);
  PacketHeader& h = packet->header;
  payloadOf(*qp, *wqe, length, packet);
  h.length = static_cast<uint32_t>(length);
  h.packets = static_cast<uint32_t>(std::max<uint64_t>(1, (length + mtu - 1) / mtu));
  wqe->sent += length;
  qp->inFlight += static_cast<int64_t>(length);
  h.last = wqe->sent == wqe->length;
  if (h.last) qp->next++;
  return packet;
}

void addressDatagram(const Qp& qp, const SendWqe& wqe, Packet* packet) {
  PacketHeader& h = packet->header;
  h.targetQpn = wqe.remoteQpn;
  h.qkey = wqe.remoteQkey & 0x80000000 ? qp.attr.qkey : wqe.remoteQkey;
  h.targetPort = wqe.ah->targetPort;
  h.targetGid = wqe.ah->attr.grh.dgid;
  const GidEntry* gid = qp.port->gid(wqe.ah->attr.grh.sgid_index);
  if (gid) h.sourceGid = gid->spec.gid;
}

bool nothingOnTheWay(const Qp& qp) { return qp.next == qp.una && qp.inFlight == 0; }

Packet* responsePacket(Qp* qp, Time now);

}  // namespace

bool checkLocalKeys(const Qp& qp, const SendWqe& wqe) {
  if (wqe.flags & IBV_SEND_INLINE) return true;
  std::vector<Piece> pieces;
  const unsigned need = wantsAnswer(wqe.opcode) ? IBV_ACCESS_LOCAL_WRITE : 0;
  return resolve(*qp.context->device, qp.pd, wqe.sges, 0, wqe.length, need, &pieces);
}

bool canSend(const Qp& qp, Time now) {
  if (!qp.responses.empty() && qp.state != IBV_QPS_ERR && qp.state != IBV_QPS_RESET) return true;
  if (qp.state != IBV_QPS_RTS || qp.next == qp.posted || now < qp.rnrUntil) return false;
  const SendWqe& wqe = qp.ring[qp.next % qp.ring.size()];
  if (wqe.localError != IBV_WC_SUCCESS) return false;  // waits for those before it
  if ((wqe.flags & IBV_SEND_FENCE) && qp.readsOut > 0) return false;
  if (wantsAnswer(wqe.opcode)) return qp.attr.max_rd_atomic == 0 || qp.readsOut < qp.attr.max_rd_atomic;
  return qp.inFlight < qp.port->spec->window;
}

Packet* nextPacket(Qp* qp, Time now) {
  if (!qp->responses.empty()) return responsePacket(qp, now);
  if (!canSend(*qp, now)) return nullptr;
  SendWqe* wqe = &qp->wqe(qp->next);
  if (wqe->sent == wqe->acked) wqe->localError = examine(*qp, *wqe);
  if (wqe->localError != IBV_WC_SUCCESS) {
    if (qp->una == qp->next) failOldest(qp, wqe->localError);
    return nullptr;
  }
  if (nothingOnTheWay(*qp)) startTimer(qp, now);
  begin(qp, wqe);
  Packet* packet = wantsAnswer(wqe->opcode) ? sendQuery(qp, wqe) : sendSegment(qp, wqe);
  if (qp->type == IBV_QPT_UD) addressDatagram(*qp, *wqe, packet);
  if (qp->type != IBV_QPT_RC && packet->header.last) {  // nobody acknowledges: done when it has left
    qp->world->keepPayload(packet);
    finishSend(qp, wqe, IBV_WC_SUCCESS);
  }
  return packet;
}

void resend(Qp* qp) {
  const uint64_t end = std::min(qp->next + 1, qp->posted);
  for (uint64_t i = qp->una; i < end; i++) {
    SendWqe& wqe = qp->wqe(i);
    if (wantsAnswer(wqe.opcode) && i < qp->next && !wqe.responded) qp->readsOut--;
    wqe.sent = wqe.acked;
  }
  qp->next = qp->una;
  qp->inFlight = 0;
}

namespace {

void fillReadResponse(Qp* qp, Response* r, Packet* packet) {
  const uint64_t mtu = qp->mtu();
  const uint64_t most = std::max<uint64_t>(mtu, static_cast<uint64_t>(qp->world->fabric().segment) / mtu * mtu);
  const uint64_t length = std::min(r->length - r->sent, most);
  const std::vector<ibv_sge> range = {{r->address + r->sent, static_cast<uint32_t>(length), r->rkey}};
  if (!resolve(*qp->context->device, qp->pd, range, 0, length, IBV_ACCESS_REMOTE_READ, &packet->pieces)) {
    packet->header.kind = PacketKind::kNak;  // the region went away in the middle
    packet->header.nak = NakCode::kAccess;
    r->sent = r->length;
    return;
  }
  packet->header.length = static_cast<uint32_t>(length);
  packet->header.packets = static_cast<uint32_t>(std::max<uint64_t>(1, (length + mtu - 1) / mtu));
  r->sent += length;
  r->psn += packet->header.packets;
  packet->header.last = r->sent == r->length;
}

Packet* responsePacket(Qp* qp, Time) {
  Response& r = qp->responses.front();
  Packet* packet = qp->world->newPacket();
  addressPacket(*qp, packet);
  packet->header.kind = r.kind;
  packet->header.psn = toWire(r.psn);
  packet->header.compareAdd = r.value;
  if (r.kind == PacketKind::kReadResponse) fillReadResponse(qp, &r, packet);
  if (r.kind != PacketKind::kReadResponse || r.sent == r.length) qp->responses.pop_front();
  return packet;
}

}  // namespace

}  // namespace polyrail::emu
