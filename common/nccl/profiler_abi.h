// SPDX-License-Identifier: Apache-2.0
// How a net plugin reports work requests to a profiler that is loaded beside it (NCCL 2.26 on): the callback that
// init receives from net v10 on, and the event descriptors that NCCL's example profilers can read. Values as in
// src/include/nccl_common.h and src/include/plugin/profiler/net_{ib,socket}_v1.h of NCCL 2.30.7. NCCL hands
// the descriptor's address to the profiler within the call and keeps nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/nccl/result.h"

namespace polyrail::nccl {

// NCCL 2.26 knows only the first two and takes every other value for kStop, so no update may be sent to it.
enum class NetEvent : int { kStart = 0, kStop = 1, kUpdate = 2, kUpdateAndStop = 3 };

// ncclProfilerCallback_t; may be null. kStart writes *eventHandle only if a profiler wants net events; the others
// need the handle that it wrote and must not be sent when there is none (NCCL passes it on unchecked). `parent` is
// the phandle that came with isend/irecv and ends with that request; `pluginId` is a kNetEventId… below; `descriptor`
// matches that id. Call it from the thread in which NCCL calls isend, irecv and test.
using ProfilerCallback = Result (*)(void** eventHandle, NetEvent event, void* parent, int64_t pluginId,
                                    void* descriptor);

// A pluginId is the transport in the upper half and the version of its descriptor in the lower 16 bits.
inline constexpr int64_t kNetEventIdIbV1 = (int64_t{1} << 16) | 1;
inline constexpr int64_t kNetEventIdSocketV1 = (int64_t{2} << 16) | 1;

// The bit of a profiler's activation mask that asks for these events. NCCL tests it; a plugin never sees the mask.
inline constexpr int kProfileNetPlugin = 1 << 7;

inline constexpr uint8_t kNetEventTypeQp = 1;      // in NetIbEventV1::type
inline constexpr uint8_t kNetEventTypeSocket = 1;  // in NetSocketEventV1::type

struct NetIbEventV1 {  // ncclProfilerNetIbDescr_v1_t; its union has this one member
  uint8_t type;
  struct Qp {
    int device;
    uint64_t wrId;
    int opcode;  // enum ibv_wr_opcode
    int qpNumber;
    size_t length;  // bytes
  } qp;
};

struct NetSocketEventV1 {  // ncclProfilerNetSockDescr_v1_t
  uint8_t type;
  struct Socket {
    int fd;
    int operation;
    size_t length;  // bytes
  } socket;
};

}  // namespace polyrail::nccl
