// SPDX-License-Identifier: Apache-2.0
// The receiving side of a UD queue pair: a datagram that finds no receive, or the wrong key, is dropped.
#include <cstring>

#include "test/emu/core/place.h"
#include "test/emu/core/qp.h"
#include "test/emu/core/world.h"

namespace polyrail::emu {
namespace {

constexpr uint32_t kGrh = 40;  // bytes that every receive keeps free for the global route header

void finish(Qp* qp, const RecvWqe& wqe, const PacketHeader& h, ibv_wc_status status) {
  CqEntry entry{{}, qp->uid, 0};
  ibv_wc& wc = entry.wc;
  wc.wr_id = wqe.wrId;
  wc.status = status;
  wc.opcode = IBV_WC_RECV;
  wc.byte_len = h.length + kGrh;
  wc.qp_num = qp->qpn;
  wc.src_qp = h.sourceQpn;
  wc.slid = h.sourceLid;
  wc.wc_flags = IBV_WC_GRH;
  if (h.opcode == IBV_WR_SEND_WITH_IMM) wc.imm_data = h.immediate, wc.wc_flags |= IBV_WC_WITH_IMM;
  complete(qp->recvCq, entry, h.solicited);
}

// Version 6 header, as adapters deliver it: addresses and length, the rest zero.
void makeGrh(const PacketHeader& h, uint8_t* out) {
  std::memset(out, 0, kGrh);
  out[0] = 0x60;
  out[4] = static_cast<uint8_t>(h.length >> 8);
  out[5] = static_cast<uint8_t>(h.length);
  out[6] = 0x1b;
  std::memcpy(out + 8, &h.sourceGid, 16);
  std::memcpy(out + 24, &h.targetGid, 16);
}

}  // namespace

void handleDatagram(Qp* qp, Packet* packet) {
  World& world = *qp->world;
  const PacketHeader h = packet->header;
  RecvWqe wqe;
  const bool open = qp->state == IBV_QPS_RTR || qp->state == IBV_QPS_RTS;
  if (!open || h.qkey != qp->attr.qkey || h.qpType != IBV_QPT_UD) return world.release(packet);
  if (qp->srq ? !takeFromSrq(qp->srq, &wqe) : qp->recvs.empty()) return world.release(packet);
  if (!qp->srq) {
    wqe = std::move(qp->recvs.front());
    qp->recvs.pop_front();
  }
  std::vector<Piece> to;
  if (h.length + kGrh > wqe.capacity) {
    finish(qp, wqe, h, IBV_WC_LOC_LEN_ERR);
  } else if (!resolve(*qp->context->device, qp->pd, wqe.sges, 0, h.length + kGrh, IBV_ACCESS_LOCAL_WRITE, &to)) {
    finish(qp, wqe, h, IBV_WC_LOC_PROT_ERR);
  } else {
    packet->own.insert(packet->own.begin(), kGrh, 0);  // the payload of a datagram is always a copy
    makeGrh(h, packet->own.data());
    place(world, *packet, to);
    finish(qp, wqe, h, IBV_WC_SUCCESS);
  }
  world.release(packet);
}

}  // namespace polyrail::emu
