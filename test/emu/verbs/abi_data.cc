// SPDX-License-Identifier: Apache-2.0
// The calls of the data path, reached through the context's table.
#include "test/emu/verbs/face.h"

namespace polyrail::emu {
namespace {

int opPostSend(ibv_qp* qp, ibv_send_wr* wr, ibv_send_wr** bad) {
  Entry entry(sessionOf(qp->context), Call::kPostSend, hostOf(qp->context));
  if (entry.error()) return *bad = wr, entry.error();
  return postSend(coreOf(qp), wr, bad);
}

int opPostRecv(ibv_qp* qp, ibv_recv_wr* wr, ibv_recv_wr** bad) {
  Entry entry(sessionOf(qp->context), Call::kPostRecv, hostOf(qp->context));
  if (entry.error()) return *bad = wr, entry.error();
  return postRecv(coreOf(qp), wr, bad);
}

int opPostSrqRecv(ibv_srq* srq, ibv_recv_wr* wr, ibv_recv_wr** bad) {
  Entry entry(sessionOf(srq->context), Call::kPostSrqRecv, hostOf(srq->context));
  int error = entry.error();
  for (; wr && !error; wr = error ? wr : wr->next) error = postSrq(coreOf(srq), *wr);
  if (error) *bad = wr;
  return error;
}

// A poll of an empty queue in real time looks without the lock first: spinning must not keep others out.
int opPollCq(ibv_cq* cq, int count, ibv_wc* out) {
  Session* session = sessionOf(cq->context);
  if (coreOf(cq)->waiting.load(std::memory_order_acquire) == 0 && !session->due()) return 0;
  Entry entry(session, Call::kPollCq, hostOf(cq->context));
  if (entry.error()) return -entry.error();
  return pollCq(coreOf(cq), count, out);
}

int opReqNotifyCq(ibv_cq* cq, int solicitedOnly) {
  Entry entry(sessionOf(cq->context), Call::kReqNotifyCq, hostOf(cq->context));
  if (entry.error()) return entry.error();
  armCq(coreOf(cq), solicitedOnly != 0);
  return 0;
}

ibv_mw* opAllocMw(ibv_pd*, ibv_mw_type) { return fail(EOPNOTSUPP); }
int opBindMw(ibv_qp*, ibv_mw*, ibv_mw_bind*) { return EOPNOTSUPP; }
int opDeallocMw(ibv_mw*) { return EOPNOTSUPP; }

}  // namespace

void setDataOps(ibv_context* context) {
  ibv_context_ops& ops = context->ops;
  ops.post_send = opPostSend;
  ops.post_recv = opPostRecv;
  ops.post_srq_recv = opPostSrqRecv;
  ops.poll_cq = opPollCq;
  ops.req_notify_cq = opReqNotifyCq;
  ops.alloc_mw = opAllocMw;
  ops.bind_mw = opBindMw;
  ops.dealloc_mw = opDeallocMw;
}

void setExtendedOps(verbs_context* context) {
  context->query_port = queryPort;
  context->query_device_ex = queryDeviceEx;
  context->create_cq_ex = createCqEx;
  context->create_qp_ex = createQpEx;
}

}  // namespace polyrail::emu
