// SPDX-License-Identifier: Apache-2.0
#include "net/plugin/ends.h"

#include <mutex>

#include "net/plugin/comm_end.h"

namespace polyrail::net {
namespace {

// A comm has its completion queues for itself, also for the queue pairs that flush.
const ibv_cq* queueOf(const ibv_async_event& event) {
  switch (event.event_type) {
    case IBV_EVENT_CQ_ERR: return event.element.cq;
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR: return event.element.qp->send_cq;
    default: return nullptr;
  }
}

}  // namespace

void Ends::add(CommEnd* end) {
  const std::lock_guard lock(mutex_);
  ends_.push_back(end);
}

void Ends::remove(CommEnd* end) {
  const std::lock_guard lock(mutex_);
  std::erase(ends_, end);
}

size_t Ends::condemn(const ibv_async_event& event, const OpenDevice& device, const std::string& why) {
  const ibv_cq* queue = queueOf(event);
  size_t concerned = 0;
  const std::lock_guard lock(mutex_);
  for (CommEnd* end : ends_) {
    if (queue ? !end->comm().polls(queue) : !end->uses(device)) continue;
    if (end->comm().repairs() && event.event_type != IBV_EVENT_CQ_ERR) continue;  // it sees for itself
    end->comm().condemn(Outcome::kSystemError, why);
    concerned++;
  }
  return concerned;
}

}  // namespace polyrail::net
