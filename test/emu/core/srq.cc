// SPDX-License-Identifier: Apache-2.0
// Shared receive queues.
#include <cerrno>

#include "test/emu/core/objects.h"
#include "test/emu/core/world.h"

namespace polyrail::emu {

int makeSrq(Pd* pd, const ibv_srq_attr& attr, Srq** out) {
  Device& device = *pd->context->device;
  const Limits& limits = device.spec->limits;
  if (device.removed) return EIO;
  if (attr.max_wr == 0 || attr.max_wr > limits.maxQpWr || attr.max_sge > limits.maxSge) return EINVAL;
  if (device.srqs >= limits.maxSrq) return ENOMEM;
  auto* srq = new Srq;
  srq->context = pd->context;
  srq->pd = pd;
  srq->maxWr = attr.max_wr;
  srq->maxSge = std::max<int64_t>(attr.max_sge, 1);
  srq->face.handle = device.handles++;
  device.srqs++;
  pd->users++;
  device.world->census.add(Kind::kSrq);
  *out = srq;
  return 0;
}

int modifySrq(Srq* srq, const ibv_srq_attr& attr, int mask) {
  if (mask & ~(IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT)) return EINVAL;
  if (mask & IBV_SRQ_MAX_WR) return ENOSYS;
  if ((mask & IBV_SRQ_LIMIT) && attr.srq_limit >= srq->maxWr) return EINVAL;
  if (mask & IBV_SRQ_LIMIT) srq->limit = attr.srq_limit;
  return 0;
}

int dropSrq(Srq* srq) {
  if (srq->users > 0 || hasUnacked(srq->context, &srq->face)) return EBUSY;
  Device& device = *srq->context->device;
  forgetEvents(srq->context, &srq->face);
  device.srqs--;
  srq->pd->users--;
  device.world->census.drop(Kind::kSrq);
  delete srq;
  return 0;
}

int readRecvWr(const ibv_recv_wr& wr, int64_t maxSge, RecvWqe* out) {
  if (wr.num_sge < 0 || wr.num_sge > maxSge) return EINVAL;
  out->wrId = wr.wr_id;
  out->sges.assign(wr.sg_list, wr.sg_list + wr.num_sge);
  out->capacity = 0;
  for (const ibv_sge& sge : out->sges) out->capacity += sge.length;
  return 0;
}

int postSrq(Srq* srq, const ibv_recv_wr& wr) {
  if (static_cast<int64_t>(srq->wqes.size()) >= srq->maxWr) return ENOMEM;
  RecvWqe wqe;
  if (const int error = readRecvWr(wr, srq->maxSge, &wqe)) return error;
  srq->wqes.push_back(std::move(wqe));
  return 0;
}

bool takeFromSrq(Srq* srq, RecvWqe* out) {
  if (srq->wqes.empty()) return false;
  *out = std::move(srq->wqes.front());
  srq->wqes.pop_front();
  if (srq->limit > 0 && srq->wqes.size() < srq->limit) {
    srq->limit = 0;  // one event for each time it is armed
    ibv_async_event event{};
    event.event_type = IBV_EVENT_SRQ_LIMIT_REACHED;
    event.element.srq = &srq->face;
    raise(srq->context, event);
  }
  return true;
}

}  // namespace polyrail::emu
