// SPDX-License-Identifier: Apache-2.0
// isend, irecv, iflush, test: NCCL's hot path. Nothing here allocates, locks or logs unless it returns an error.
#include <algorithm>
#include <array>

#include "net/plugin/calls.h"
#include "net/plugin/comm_end.h"
#include "net/plugin/outcome.h"

namespace polyrail::net {
namespace {

constexpr MemoryKeys kNoKeys{};

const MemoryKeys& keysOf(void* mhandle) { return mhandle ? static_cast<RailMemory*>(mhandle)->keys() : kNoKeys; }

[[gnu::cold]] nccl::Result failed(CommEnd& end, Outcome outcome) {
  end.sayError();
  return resultOf(outcome);
}

// A profiler hears of the request as a whole: one event from its start to its end.
void startEvent(CommEnd& end, Request* request, void* parent, size_t length) {
  request->event = nullptr;
  if (!parent || !end.profile()) return;
  nccl::NetIbEventV1 event{};
  event.type = nccl::kNetEventTypeQp;
  event.qp.device = end.device();
  event.qp.opcode =
      request->kind == Request::Kind::kSend ? int{IBV_WR_RDMA_WRITE_WITH_IMM} : int{IBV_WC_RECV_RDMA_WITH_IMM};
  event.qp.length = length;
  end.profile()(&request->event, nccl::NetEvent::kStart, parent, nccl::kNetEventIdIbV1, &event);
}

void stopEvent(CommEnd& end, Request* request) {
  if (!request->event) return;
  end.profile()(&request->event, nccl::NetEvent::kStop, nullptr, nccl::kNetEventIdIbV1, nullptr);
  request->event = nullptr;
}

CommEnd& endOf(const Request& request) {
  Comm& comm = request.kind == Request::Kind::kSend ? static_cast<Comm&>(*static_cast<SendComm*>(request.comm))
                                                    : *static_cast<RecvComm*>(request.comm);
  return *static_cast<CommEnd*>(comm.owner());
}

}  // namespace

nccl::Result send(void* comm, void* data, size_t size, int tag, void* mhandle, void* parent,
                  void** request) noexcept {
  CommEnd& end = *static_cast<CommEnd*>(comm);
  Request* made = nullptr;
  const Outcome outcome = end.send()->isend(data, size, tag, keysOf(mhandle), &made);
  *request = made;
  if (outcome != Outcome::kOk) return failed(end, outcome);
  if (made) startEvent(end, made, parent, size);
  return nccl::Result::kSuccess;
}

std::array<size_t, 8> wide(int n, const int* sizes) noexcept {
  std::array<size_t, 8> out{};
  for (size_t i = 0; i < out.size() && static_cast<int>(i) < n; i++)
    out[i] = static_cast<size_t>(std::max(sizes[i], 0));
  return out;
}

// NCCL's 0x1 on entry allows us not to wait for the arrival; we do, because a repair needs to know it.
nccl::Result receive(void* comm, int n, void** data, const size_t* sizes, int* tags, void** mhandles, void** parents,
                     void** request) noexcept {
  CommEnd& end = *static_cast<CommEnd*>(comm);
  *request = nullptr;
  if (n < 1 || n > static_cast<int>(kGroup)) return nccl::Result::kInvalidUsage;
  std::array<const MemoryKeys*, kGroup> keys;
  for (int i = 0; i < n; i++) keys[static_cast<size_t>(i)] = &keysOf(mhandles[i]);
  Request* made = nullptr;
  const Outcome outcome = end.recv()->irecv(static_cast<unsigned>(n), data, sizes, tags, keys.data(), &made);
  *request = made;
  if (outcome != Outcome::kOk) return failed(end, outcome);
  if (made) startEvent(end, made, parents ? parents[0] : nullptr, sizes[0]);
  return nccl::Result::kSuccess;
}

nccl::Result flush(void* comm, int n, void** data, int*, void** mhandles, void** request) noexcept {
  CommEnd& end = *static_cast<CommEnd*>(comm);
  *request = nullptr;
  if (n < 1 || n > static_cast<int>(kGroup)) return nccl::Result::kInvalidUsage;
  std::array<const MemoryKeys*, kGroup> keys;
  for (int i = 0; i < n; i++) keys[static_cast<size_t>(i)] = &keysOf(mhandles[i]);
  Request* made = nullptr;
  const Outcome outcome = end.recv()->iflush(static_cast<unsigned>(n), data, keys.data(), &made);
  *request = made;
  return outcome == Outcome::kOk ? nccl::Result::kSuccess : failed(end, outcome);
}

nccl::Result testRequest(void* request, int* done, int* sizes) noexcept {
  Request* r = static_cast<Request*>(request);
  const Outcome outcome = test(r, done, sizes);
  if (outcome != Outcome::kOk) return failed(endOf(*r), outcome);
  if (*done && r->event) stopEvent(endOf(*r), r);
  return nccl::Result::kSuccess;
}

}  // namespace polyrail::net
