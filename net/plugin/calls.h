// SPDX-License-Identifier: Apache-2.0
// What every ABI version's table comes down to. NCCL's void pointers in, results out: no exception leaves, and every
// error has been said before it is returned. An adapter only translates signatures. Threads: net_abi.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/nccl/net_abi.h"
#include "net/device/node.h"

namespace polyrail::net {

class Context;

inline constexpr char kNetName[] = "polyrail";

// Life cycle. From v11 on each init makes a context and finalize ends it; older ones share one for each way of
// fusion, which lives until the library is unloaded.
nccl::Result openContext(void** context, nccl::LogFunction log, nccl::ProfilerCallback profile,
                         int trafficClass) noexcept;
nccl::Result closeContext(void* context) noexcept;
// On NCCL's hot path. Null attributes say nothing.
nccl::Result noteHints(Context* context, const nccl::NetAttr* attributes) noexcept;
nccl::Result openShared(Node::Fusion fusion, nccl::LogFunction log, nccl::ProfilerCallback profile) noexcept;
// The shared one, or null before init.
Context* shared(Node::Fusion fusion) noexcept;

// Devices. These calls carry no context: the way of fusion, which goes with the ABI version, says whose list is
// meant.
nccl::Result countDevices(Node::Fusion fusion, int* count) noexcept;
template <Node::Fusion fusion>
nccl::Result countDevices(int* count) noexcept {
  return countDevices(fusion, count);
}
// Null when there is none.
const NodeDevice* findDevice(Node::Fusion fusion, int device) noexcept;
// Bytes; what the rails' largest work request allows.
size_t longestMessage(Node::Fusion fusion, const NodeDevice& device) noexcept;
nccl::Result fuseDevices(int* device, const int* members, int count, int most) noexcept;

// Connections.
nccl::Result listenOn(Context* context, int device, void* handle, void** listenComm) noexcept;
nccl::Result connectTo(Context* context, int device, void* handle, int trafficClass, void** sendComm) noexcept;
nccl::Result acceptFrom(void* listenComm, void** recvComm) noexcept;
nccl::Result closeEnd(void* comm) noexcept;
nccl::Result closeListener(void* listenComm) noexcept;

// Memory.
nccl::Result registerMemory(void* comm, void* data, size_t size, int type, uint64_t offset, int dmaBuf,
                            void** mhandle) noexcept;
nccl::Result deregisterMemory(void* comm, void* mhandle) noexcept;

// Data.
nccl::Result send(void* comm, void* data, size_t size, int tag, void* mhandle, void* parent, void** request) noexcept;
// For versions whose sizes are int.
std::array<size_t, 8> wide(int n, const int* sizes) noexcept;
nccl::Result receive(void* comm, int n, void** data, const size_t* sizes, int* tags, void** mhandles, void** parents,
                     void** request) noexcept;
nccl::Result flush(void* comm, int n, void** data, int* sizes, void** mhandles, void** request) noexcept;
nccl::Result testRequest(void* request, int* done, int* sizes) noexcept;

}  // namespace polyrail::net
