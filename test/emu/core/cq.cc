// SPDX-License-Identifier: Apache-2.0
// Completion queues.
#include <algorithm>
#include <cerrno>

#include "test/emu/core/qp.h"
#include "test/emu/core/world.h"

namespace polyrail::emu {
namespace {

void overrun(Cq* cq) {
  if (cq->overrun) return;
  cq->overrun = true;
  Device& device = *cq->context->device;
  ibv_async_event event{};
  event.event_type = IBV_EVENT_CQ_ERR;
  event.element.cq = reinterpret_cast<ibv_cq*>(&cq->face);
  raise(cq->context, event);
  std::vector<Qp*> broken;
  for (const auto& [qpn, qp] : device.qps)
    if (qp->sendCq == cq || qp->recvCq == cq) broken.push_back(qp);
  std::sort(broken.begin(), broken.end(), [](const Qp* a, const Qp* b) { return a->uid < b->uid; });
  for (Qp* qp : broken) {
    event.event_type = IBV_EVENT_QP_FATAL;
    event.element.qp = &qp->face.qp_base;
    if (qp->state != IBV_QPS_RESET) raise(qp->context, event);
    breakQp(qp);
  }
}

void publish(Cq* cq) { cq->waiting.store(static_cast<int64_t>(cq->entries.size()), std::memory_order_release); }

void notify(Cq* cq) {
  cq->armed = false;
  cq->channel->ready.push_back(cq);
  cq->channel->wake.post();
}

}  // namespace

int makeCq(Context* context, int64_t depth, Channel* channel, Cq** out) {
  Device& device = *context->device;
  if (device.removed) return EIO;
  if (depth < 1 || depth > device.spec->limits.maxCqe) return EINVAL;
  if (device.cqs >= device.spec->limits.maxCq) return ENOMEM;
  auto* cq = new Cq;
  cq->context = context;
  cq->channel = channel;
  cq->capacity = depth;
  cq->face.cqe = static_cast<int>(depth);
  cq->face.handle = device.handles++;
  if (channel) channel->face.refcnt++;
  device.cqs++;
  context->users++;
  device.world->census.add(Kind::kCq);
  *out = cq;
  return 0;
}

int dropCq(Cq* cq) {
  if (cq->users > 0 || cq->eventsTaken != cq->eventsAcked || hasUnacked(cq->context, &cq->face)) return EBUSY;
  if (cq->channel) {
    std::erase(cq->channel->ready, cq);
    cq->channel->face.refcnt--;
  }
  forgetEvents(cq->context, &cq->face);
  cq->context->device->cqs--;
  cq->context->users--;
  cq->context->device->world->census.drop(Kind::kCq);
  delete cq;
  return 0;
}

int resizeCq(Cq* cq, int64_t depth) {
  if (depth < 1 || depth > cq->context->device->spec->limits.maxCqe) return EINVAL;
  if (depth < static_cast<int64_t>(cq->entries.size())) return EINVAL;
  cq->capacity = depth;
  cq->face.cqe = static_cast<int>(depth);
  return 0;
}

int pollCq(Cq* cq, int count, ibv_wc* out) {
  int taken = 0;
  for (; taken < count && !cq->entries.empty(); taken++) {
    const CqEntry& entry = cq->entries.front();
    out[taken] = entry.wc;
    if (entry.freesTo > 0)
      if (Qp* qp = cq->context->device->world->findUid(entry.uid)) qp->freed = std::max(qp->freed, entry.freesTo);
    cq->entries.pop_front();
  }
  publish(cq);
  return taken;
}

void armCq(Cq* cq, bool solicitedOnly) {
  cq->solicitedOnly = solicitedOnly && (!cq->armed || cq->solicitedOnly);
  cq->armed = true;
}

void complete(Cq* cq, const CqEntry& entry, bool solicited) {
  World& world = *cq->context->device->world;
  world.trace.add(world.now(), "complete", entry.wc.qp_num, entry.wc.status, entry.wc.wr_id);
  if (static_cast<int64_t>(cq->entries.size()) >= cq->capacity) return overrun(cq);
  cq->entries.push_back(entry);
  publish(cq);
  if (cq->armed && cq->channel && (!cq->solicitedOnly || solicited || entry.wc.status != IBV_WC_SUCCESS)) notify(cq);
}

int takeCqEvent(Channel* channel, Cq** out) {
  if (channel->ready.empty()) return EAGAIN;
  *out = channel->ready.front();
  channel->ready.pop_front();
  (*out)->eventsTaken++;
  return 0;
}

void forgetQp(Cq* cq, uint64_t uid) {
  std::erase_if(cq->entries, [uid](const CqEntry& e) { return e.uid == uid; });
  publish(cq);
}

}  // namespace polyrail::emu
