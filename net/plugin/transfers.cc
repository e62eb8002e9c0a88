// SPDX-License-Identifier: Apache-2.0
// isend, irecv, iflush, test: NCCL's hot path. Nothing here allocates, locks or logs unless it returns an error.
#include <algorithm>
#include <array>

#include "net/data/test_request.h"
#include "net/plugin/calls.h"
#include "net/plugin/comm_end.h"
#include "net/plugin/outcome.h"

namespace polyrail::net {
namespace {

constexpr MemoryKeys kNoKeys{};

const MemoryKeys& keysOf(void* mhandle) { return mhandle ? static_cast<RailMemory*>(mhandle)->keys() : kNoKeys; }

const MemoryKeys** keysOf(CommEnd& end, unsigned n, void** mhandles) {
  auto& keys = end.keys();
  keys[0] = &keysOf(mhandles[0]);
  for (unsigned i = 1; i < n; i++) keys[i] = &keysOf(mhandles[i]);
  return keys.data();
}

[[gnu::cold]] nccl::Result failed(CommEnd& end, Outcome outcome) {
  end.sayError();
  return resultOf(outcome);
}

// A group of none, or of more than maxRecvs.
[[gnu::cold]] nccl::Result refused(void** request) {
  *request = nullptr;
  return nccl::Result::kInvalidUsage;
}

// NCCL's place for a request, as the comm fills it.
Request** place(void** request) { return reinterpret_cast<Request**>(request); }

CommEnd& endOf(const Request& request) {
  Comm& comm = request.kind == Request::Kind::kSend ? static_cast<Comm&>(*static_cast<SendComm*>(request.comm))
                                                    : *static_cast<RecvComm*>(request.comm);
  return *static_cast<CommEnd*>(comm.owner());
}

}  // namespace

nccl::Result send(void* comm, void* data, size_t size, int tag, void* mhandle, void* parent,
                  void** request) noexcept {
  CommEnd& end = *static_cast<CommEnd*>(comm);
  const Outcome outcome = end.send()->isend(data, size, tag, keysOf(mhandle), place(request));
  if (outcome != Outcome::kOk) return failed(end, outcome);
  if (parent && *request) end.profile().start(*place(request), 1, &parent, &size);
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
  const unsigned count = static_cast<unsigned>(n);
  if (count - 1 >= kGroup) return refused(request);
  const Outcome outcome = end.recv()->irecv(count, data, sizes, tags, keysOf(end, count, mhandles), place(request));
  if (outcome != Outcome::kOk) return failed(end, outcome);
  if (parents && *request) end.profile().start(*place(request), count, parents, sizes);
  return nccl::Result::kSuccess;
}

nccl::Result flush(void* comm, int n, void** data, int*, void** mhandles, void** request) noexcept {
  CommEnd& end = *static_cast<CommEnd*>(comm);
  const unsigned count = static_cast<unsigned>(n);
  if (count - 1 >= kGroup) return refused(request);
  const Outcome outcome = end.recv()->iflush(count, data, keysOf(end, count, mhandles), place(request));
  return outcome == Outcome::kOk ? nccl::Result::kSuccess : failed(end, outcome);
}

nccl::Result testRequest(void* request, int* done, int* sizes) noexcept {
  Request* r = static_cast<Request*>(request);
  const Outcome outcome = testInline(r, done, sizes);
  if (outcome == Outcome::kOk && !r->event) [[likely]]
    return nccl::Result::kSuccess;
  if (outcome != Outcome::kOk) return failed(endOf(*r), outcome);
  if (*done) endOf(*r).profile().stop(r);
  return nccl::Result::kSuccess;
}

}  // namespace polyrail::net
