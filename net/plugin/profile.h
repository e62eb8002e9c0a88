// SPDX-License-Identifier: Apache-2.0
// What a profiler beside the plugin hears of a comm (ABI v10 on): one event for each send and each member of a
// grouped receive, from its start to its end. Part of a CommEnd; called from the thread that calls isend, irecv and
// test. Nothing here allocates.
#pragma once

#include <array>
#include <bit>

#include "common/nccl/profiler_abi.h"
#include "net/data/request.h"
#include "net/path/layout.h"

namespace polyrail::net {

class Profile {
 public:
  // `callback` may be null: then nothing is told.
  Profile(nccl::ProfilerCallback callback, int device) : callback_(callback), device_(device) {}

  // `parents` (null, or n of NCCL's phandles, each of which may be null) and `sizes` in bytes, one a member.
  void start(Request* request, unsigned n, void* const* parents, const size_t* sizes);
  // REQUIRES: request->event
  void stop(Request* request);

 private:
  struct Members {
    std::array<void*, kGroup> event{};
  };
  void* begin(Request::Kind kind, void* parent, size_t size);
  void end(void** event);

  const nccl::ProfilerCallback callback_;
  const int device_;
  // Of receives under way: a request's word points into this. Sends keep their one event in the word itself.
  std::array<Members, kSlots> members_{};
  uint32_t free_ = UINT32_MAX;
  static_assert(kSlots == 32);
};

}  // namespace polyrail::net
