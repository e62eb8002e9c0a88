// SPDX-License-Identifier: Apache-2.0
#include "net/plugin/profile.h"

#include <infiniband/verbs.h>

#include <algorithm>

namespace polyrail::net {

void* Profile::begin(Request::Kind kind, void* parent, size_t size) {
  if (!parent) return nullptr;
  nccl::NetIbEventV1 descriptor{};
  descriptor.type = nccl::kNetEventTypeQp;
  descriptor.qp.device = device_;
  descriptor.qp.opcode =
      kind == Request::Kind::kSend ? int{IBV_WR_RDMA_WRITE_WITH_IMM} : int{IBV_WC_RECV_RDMA_WITH_IMM};
  descriptor.qp.length = size;
  void* event = nullptr;
  callback_(&event, nccl::NetEvent::kStart, parent, nccl::kNetEventIdIbV1, &descriptor);
  return event;
}

void Profile::end(void** event) {
  if (*event) callback_(event, nccl::NetEvent::kStop, nullptr, nccl::kNetEventIdIbV1, nullptr);
  *event = nullptr;
}

void Profile::start(Request* request, unsigned n, void* const* parents, const size_t* sizes) {
  if (!callback_ || !parents) return;
  if (request->kind == Request::Kind::kSend) {
    request->event = begin(request->kind, parents[0], sizes[0]);
    return;
  }
  if (free_ == 0) return;  // never: a comm has as many receives as there are places
  const unsigned place = static_cast<unsigned>(std::countr_zero(free_));
  Members& members = members_[place];
  bool any = false;
  for (unsigned i = 0; i < n; i++) any |= (members.event[i] = begin(request->kind, parents[i], sizes[i])) != nullptr;
  if (!any) return;
  free_ &= ~(1u << place);
  request->event = &members;
}

void Profile::stop(Request* request) {
  if (request->kind == Request::Kind::kSend) return end(&request->event);
  Members& members = *static_cast<Members*>(request->event);
  for (void*& event : members.event) end(&event);
  free_ |= 1u << (&members - members_.data());
  request->event = nullptr;
}

}  // namespace polyrail::net
