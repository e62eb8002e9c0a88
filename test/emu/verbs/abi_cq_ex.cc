// SPDX-License-Identifier: Apache-2.0
// The ibv_start_poll way of reading completions, one at a time.
#include "test/emu/verbs/face.h"

namespace polyrail::emu {
namespace {

Cq* of(ibv_cq_ex* face) { return reinterpret_cast<Cq*>(face); }

int nextPoll(ibv_cq_ex* face) {
  Cq* cq = of(face);
  ibv_cq* plain = ibv_cq_ex_to_cq(face);
  const int found = plain->context->ops.poll_cq(plain, 1, &cq->current);
  if (found < 0) return -found;
  if (found == 0) return ENOENT;
  face->status = cq->current.status;
  face->wr_id = cq->current.wr_id;
  return 0;
}

int startPoll(ibv_cq_ex* face, ibv_poll_cq_attr*) { return nextPoll(face); }
void endPoll(ibv_cq_ex*) {}
ibv_wc_opcode readOpcode(ibv_cq_ex* cq) { return of(cq)->current.opcode; }
uint32_t readVendorError(ibv_cq_ex* cq) { return of(cq)->current.vendor_err; }
uint32_t readByteLength(ibv_cq_ex* cq) { return of(cq)->current.byte_len; }
__be32 readImmediate(ibv_cq_ex* cq) { return of(cq)->current.imm_data; }
uint32_t readQpNumber(ibv_cq_ex* cq) { return of(cq)->current.qp_num; }
uint32_t readSourceQp(ibv_cq_ex* cq) { return of(cq)->current.src_qp; }
unsigned readFlags(ibv_cq_ex* cq) { return of(cq)->current.wc_flags; }
uint32_t readLid(ibv_cq_ex* cq) { return of(cq)->current.slid; }
uint8_t readServiceLevel(ibv_cq_ex* cq) { return of(cq)->current.sl; }
uint8_t readPathBits(ibv_cq_ex* cq) { return of(cq)->current.dlid_path_bits; }
uint64_t readTimestamp(ibv_cq_ex* cq) { return static_cast<uint64_t>(sessionOf(cq->context)->presentNs()); }

}  // namespace

void setPollOps(Cq* cq) {
  ibv_cq_ex& f = cq->face;
  f.start_poll = startPoll;
  f.next_poll = nextPoll;
  f.end_poll = endPoll;
  f.read_opcode = readOpcode;
  f.read_vendor_err = readVendorError;
  f.read_byte_len = readByteLength;
  f.read_imm_data = readImmediate;
  f.read_qp_num = readQpNumber;
  f.read_src_qp = readSourceQp;
  f.read_wc_flags = readFlags;
  f.read_slid = readLid;
  f.read_sl = readServiceLevel;
  f.read_dlid_path_bits = readPathBits;
  f.read_completion_ts = readTimestamp;
}

}  // namespace polyrail::emu
