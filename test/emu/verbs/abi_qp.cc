// SPDX-License-Identifier: Apache-2.0
// Queue pairs: create, modify, query, destroy.
#include <algorithm>

#include "test/emu/verbs/face.h"

using namespace polyrail::emu;

namespace polyrail::emu {

ibv_qp* exportQp(Qp* qp, ibv_context* context, void* userContext, ibv_pd* pd) {
  ibv_qp& face = qp->face.qp_base;
  face.context = context;
  face.qp_context = userContext;
  face.pd = pd;
  face.send_cq = ibv_cq_ex_to_cq(&qp->sendCq->face);
  face.recv_cq = ibv_cq_ex_to_cq(&qp->recvCq->face);
  face.srq = qp->srq ? &qp->srq->face : nullptr;
  face.qp_num = qp->qpn;
  face.state = IBV_QPS_RESET;
  face.qp_type = qp->type;
  pthread_mutex_init(&face.mutex, nullptr);
  pthread_cond_init(&face.cond, nullptr);
  return &face;
}

ibv_qp* createQpEx(ibv_context* context, ibv_qp_init_attr_ex* attr) {
  if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !attr->pd) return fail(EINVAL);
  ibv_qp_init_attr plain{attr->qp_context, attr->send_cq, attr->recv_cq,   attr->srq,
                         attr->cap,        attr->qp_type, attr->sq_sig_all};
  ibv_qp* qp = ibv_create_qp(attr->pd, &plain);
  if (!qp) return nullptr;
  attr->cap = plain.cap;
  (void)context;
  if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) setWorkRequestOps(coreOf(qp));
  return qp;
}

}  // namespace polyrail::emu

EMU_EXPORT ibv_qp* ibv_create_qp(ibv_pd* pd, ibv_qp_init_attr* attr) {
  Entry entry(sessionOf(pd->context), Call::kCreateQp, hostOf(pd->context));
  if (entry.error()) return fail(entry.error());
  const QpRequest request = {attr->send_cq ? coreOf(attr->send_cq) : nullptr,
                             attr->recv_cq ? coreOf(attr->recv_cq) : nullptr,
                             attr->srq ? coreOf(attr->srq) : nullptr,
                             attr->cap,
                             attr->qp_type,
                             attr->sq_sig_all != 0};
  Qp* qp = nullptr;
  if (const int error = makeQp(coreOf(pd), request, &qp)) return fail(error);
  attr->cap = qp->cap;
  return exportQp(qp, pd->context, attr->qp_context, pd);
}

EMU_EXPORT int ibv_modify_qp(ibv_qp* qp, ibv_qp_attr* attr, int mask) {
  Entry entry(sessionOf(qp->context), Call::kModifyQp, hostOf(qp->context));
  const int error = entry.error() ? entry.error() : modifyQp(coreOf(qp), *attr, mask);
  if (!error && (mask & IBV_QP_STATE)) qp->state = attr->qp_state;
  return error;
}

EMU_EXPORT int ibv_query_qp(ibv_qp* qp, ibv_qp_attr* attr, int, ibv_qp_init_attr* init) {
  Entry entry(sessionOf(qp->context), Call::kQueryQp, hostOf(qp->context));
  if (entry.error()) return entry.error();
  const Qp* core = coreOf(qp);
  if (core->context->device->removed) return EIO;
  *attr = core->attr;
  attr->qp_state = attr->cur_qp_state = qp->state = core->state;
  attr->cap = core->cap;
  attr->rq_psn = static_cast<uint32_t>(core->expectedPsn & 0xffffff);
  attr->sq_psn = static_cast<uint32_t>(core->nextPsn & 0xffffff);
  attr->sq_draining = core->state == IBV_QPS_SQD && core->next > core->una;
  *init = {qp->qp_context, qp->send_cq, qp->recv_cq, qp->srq, core->cap, qp->qp_type, core->signalAll ? 1 : 0};
  return 0;
}

EMU_EXPORT int ibv_destroy_qp(ibv_qp* qp) {
  waitWhile(sessionOf(qp->context), [&] { return hasUnacked(coreOf(qp->context), qp); });
  Entry entry(sessionOf(qp->context), Call::kDestroyQp, hostOf(qp->context));
  return entry.error() ? entry.error() : dropQp(coreOf(qp));
}

EMU_EXPORT int ibv_query_qp_data_in_order(ibv_qp*, ibv_wr_opcode, uint32_t) { return 0; }
EMU_EXPORT int ibv_query_ece(ibv_qp* qp, ibv_ece* ece) {
  Entry entry(sessionOf(qp->context), Call::kQueryQp, hostOf(qp->context));
  const Qp* core = coreOf(qp);
  if (core->context->device->spec->eceOptions == 0) return EOPNOTSUPP;
  *ece = core->ece;
  return 0;
}

EMU_EXPORT int ibv_set_ece(ibv_qp* qp, ibv_ece* ece) {
  Entry entry(sessionOf(qp->context), Call::kQueryQp, hostOf(qp->context));
  Qp* core = coreOf(qp);
  if (core->context->device->spec->eceOptions == 0) return EOPNOTSUPP;
  if (ece->comp_mask || ece->vendor_id != core->ece.vendor_id || core->state > IBV_QPS_INIT) return EINVAL;
  core->wantedEce = *ece;
  return 0;
}

EMU_EXPORT int ibv_attach_mcast(ibv_qp*, const ibv_gid*, uint16_t) { return EOPNOTSUPP; }
EMU_EXPORT int ibv_detach_mcast(ibv_qp*, const ibv_gid*, uint16_t) { return EOPNOTSUPP; }

EMU_EXPORT ibv_qp_ex* ibv_qp_to_qp_ex(ibv_qp* qp) {
  Qp* core = coreOf(qp);
  return core->face.wr_start ? &core->face : nullptr;
}
