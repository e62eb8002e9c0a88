// SPDX-License-Identifier: Apache-2.0
// Making, modifying and destroying queue pairs.
#include <algorithm>
#include <cerrno>

#include "test/emu/core/qp.h"
#include "test/emu/core/world.h"

namespace polyrail::emu {
namespace {

constexpr uint64_t kPsnBase = uint64_t{1} << 32;  // sequence numbers are 64 bits inside and never wrap

bool capsFit(const QpRequest& request, const Limits& limits) {
  const ibv_qp_cap& c = request.cap;
  return c.max_send_wr <= limits.maxQpWr && c.max_recv_wr <= limits.maxQpWr && c.max_send_sge <= limits.maxSge &&
         c.max_recv_sge <= limits.maxSge && c.max_inline_data <= limits.maxInline;
}

void clearQueues(Qp* qp) {
  qp->world->keepPayloadsOf(qp->uid);
  if (qp->port) qp->port->forget(qp);
  qp->inReady = false;
  qp->freed = qp->una = qp->next = qp->posted = 0;
  qp->inFlight = 0;
  qp->readsOut = 0;
  qp->rnrUntil = 0;
  qp->asked = false;
  qp->recvs.clear();
  qp->responses.clear();
  qp->atomics.clear();
  for (const Qp::Deferred& d : qp->deferred) qp->world->release(d.packet);
  qp->deferred.clear();
  qp->receiving = qp->nakSent = false;
  qp->pendingFlushes = 0;
  forgetQp(qp->sendCq, qp->uid);
  forgetQp(qp->recvCq, qp->uid);
}

// The port that an address leads to. An Ethernet adapter resolves it when the queue pair is set up and fails with
// ETIMEDOUT if nobody answers; on InfiniBand the packets are simply lost.
int findTarget(const Qp& qp, const Port& port, const ibv_ah_attr& ah, uint32_t* target) {
  const World& world = *qp.world;
  if (port.spec->ethernet && !ah.is_global) return EINVAL;
  if (ah.is_global && !port.gid(ah.grh.sgid_index)) return EINVAL;
  const Port* to = ah.is_global ? world.findByGid(ah.grh.dgid) : world.findByLid(ah.dlid, port.spec->plane);
  if (port.spec->ethernet && (!to || to->spec->plane != port.spec->plane)) return ETIMEDOUT;
  *target = to ? to->id : UINT32_MAX;  // nowhere
  return 0;
}

int checkValues(const Qp& qp, const ibv_qp_attr& a, int mask) {
  const Device& device = *qp.context->device;
  const Limits& limits = device.spec->limits;
  const Port* port = mask & IBV_QP_PORT ? device.port(a.port_num) : qp.port;
  if ((mask & IBV_QP_PORT) && !port) return EINVAL;
  if ((mask & IBV_QP_PKEY_INDEX) && (a.pkey_index >= port->spec->pkeys.size() || !port->spec->pkeys[a.pkey_index]))
    return EINVAL;
  if ((mask & IBV_QP_PATH_MTU) && (a.path_mtu < IBV_MTU_256 || 128 << a.path_mtu > port->spec->mtu)) return EINVAL;
  if ((mask & IBV_QP_MAX_QP_RD_ATOMIC) && a.max_rd_atomic > limits.maxRdAtomic) return EINVAL;
  if ((mask & IBV_QP_MAX_DEST_RD_ATOMIC) && a.max_dest_rd_atomic > limits.maxRdAtomic) return EINVAL;
  if ((mask & IBV_QP_TIMEOUT) && a.timeout > 31) return EINVAL;
  if ((mask & IBV_QP_RETRY_CNT) && a.retry_cnt > 7) return EINVAL;
  if ((mask & IBV_QP_RNR_RETRY) && a.rnr_retry > 7) return EINVAL;
  if ((mask & IBV_QP_MIN_RNR_TIMER) && a.min_rnr_timer > 31) return EINVAL;
  return 0;
}

void takeValues(Qp* qp, const ibv_qp_attr& a, int mask) {
  ibv_qp_attr& mine = qp->attr;
  if (mask & IBV_QP_PKEY_INDEX) mine.pkey_index = a.pkey_index;
  if (mask & IBV_QP_PORT) mine.port_num = a.port_num, qp->port = qp->context->device->port(a.port_num);
  if (mask & IBV_QP_ACCESS_FLAGS) mine.qp_access_flags = a.qp_access_flags;
  if (mask & IBV_QP_QKEY) mine.qkey = a.qkey;
  if (mask & IBV_QP_AV) mine.ah_attr = a.ah_attr;
  if (mask & IBV_QP_PATH_MTU) mine.path_mtu = a.path_mtu;
  if (mask & IBV_QP_DEST_QPN) mine.dest_qp_num = a.dest_qp_num & 0xffffff;
  if (mask & IBV_QP_RQ_PSN) mine.rq_psn = a.rq_psn & 0xffffff, qp->expectedPsn = kPsnBase + mine.rq_psn;
  if (mask & IBV_QP_SQ_PSN) mine.sq_psn = a.sq_psn & 0xffffff, qp->nextPsn = kPsnBase + mine.sq_psn;
  if (mask & IBV_QP_MAX_DEST_RD_ATOMIC) mine.max_dest_rd_atomic = a.max_dest_rd_atomic;
  if (mask & IBV_QP_MAX_QP_RD_ATOMIC) mine.max_rd_atomic = a.max_rd_atomic;
  if (mask & IBV_QP_MIN_RNR_TIMER) mine.min_rnr_timer = a.min_rnr_timer;
  if (mask & IBV_QP_TIMEOUT) mine.timeout = a.timeout;
  if (mask & IBV_QP_RETRY_CNT) mine.retry_cnt = a.retry_cnt, qp->retriesLeft = a.retry_cnt;
  if (mask & IBV_QP_RNR_RETRY) mine.rnr_retry = a.rnr_retry, qp->rnrLeft = a.rnr_retry;
}

// Where a transition ends: to ERR work is flushed, to RESET all is forgotten, to RTS sending starts.
void enter(Qp* qp, ibv_qp_state to) {
  const ibv_qp_state from = qp->state;
  if (to == IBV_QPS_ERR && from == IBV_QPS_ERR) return flushWork(qp);
  if (to == IBV_QPS_ERR) return breakQp(qp);
  qp->state = to;
  if (to == IBV_QPS_RESET) clearQueues(qp);
  if (to == IBV_QPS_RTR) qp->ece.options &= qp->wantedEce.options;  // what both can; nothing when none was set
  if (to == IBV_QPS_RTS) qp->port->kick(qp, qp->world->hostNow(qp->context->device->host));
  if (to == IBV_QPS_SQD && from == IBV_QPS_RTS) qp->attr.sq_draining = qp->next > qp->una;
}

}  // namespace

int makeQp(Pd* pd, const QpRequest& request, Qp** out) {
  Device& device = *pd->context->device;
  const Limits& limits = device.spec->limits;
  if (device.removed) return EIO;
  if (request.type != IBV_QPT_RC && request.type != IBV_QPT_UC && request.type != IBV_QPT_UD) return EOPNOTSUPP;
  if (!request.sendCq || !request.recvCq || !capsFit(request, limits)) return EINVAL;
  if (static_cast<int64_t>(device.qps.size()) >= limits.maxQp) return ENOMEM;
  uint32_t qpn;
  if (const int error = device.takeQpn(&qpn)) return error;
  auto* qp = new Qp;
  qp->world = device.world;
  qp->context = pd->context;
  qp->pd = pd;
  qp->sendCq = request.sendCq;
  qp->recvCq = request.recvCq;
  qp->srq = request.srq;
  qp->qpn = qpn;
  qp->type = request.type;
  qp->cap = request.cap;
  qp->cap.max_inline_data = static_cast<uint32_t>(std::max<int64_t>(request.cap.max_inline_data, 0));
  qp->signalAll = request.signalAll;
  qp->ece = {device.spec->vendorId, device.spec->eceOptions, 0};
  qp->ring.resize(std::max<uint32_t>(request.cap.max_send_wr, 1));
  qp->face.qp_base.handle = device.handles++;
  device.qps[qpn] = qp;
  device.world->addQp(qp);
  for (int64_t* users : {&pd->users, &qp->sendCq->users, &qp->recvCq->users}) ++*users;
  if (qp->srq) qp->srq->users++;
  device.world->census.add(Kind::kQp);
  *out = qp;
  return 0;
}

int dropQp(Qp* qp) {
  if (hasUnacked(qp->context, &qp->face)) return EBUSY;
  Device& device = *qp->context->device;
  clearQueues(qp);
  forgetEvents(qp->context, &qp->face);
  device.qps.erase(qp->qpn);
  device.world->removeQp(qp);
  for (int64_t* users : {&qp->pd->users, &qp->sendCq->users, &qp->recvCq->users}) --*users;
  if (qp->srq) qp->srq->users--;
  device.world->census.drop(Kind::kQp);
  delete qp;
  return 0;
}

int modifyQp(Qp* qp, const ibv_qp_attr& attr, int mask) {
  if (qp->context->device->removed) return EIO;
  if ((mask & IBV_QP_CUR_STATE) && attr.cur_qp_state != qp->state) return EINVAL;
  const ibv_qp_state to = mask & IBV_QP_STATE ? attr.qp_state : qp->state;
  if (!transitionAllowed(qp->type, qp->state, to, mask)) return EINVAL;
  if (const int error = checkValues(*qp, attr, mask)) return error;
  if (mask & IBV_QP_AV) {
    if (const int error = findTarget(*qp, *qp->port, attr.ah_attr, &qp->targetPort)) return error;
    const GidEntry* gid = qp->port->gid(attr.ah_attr.is_global ? attr.ah_attr.grh.sgid_index : 0);
    if (gid) qp->sourceGid = gid->spec.gid;
  }
  takeValues(qp, attr, mask);
  if (mask & IBV_QP_STATE) enter(qp, to);
  return 0;
}

}  // namespace polyrail::emu
