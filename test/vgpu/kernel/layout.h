// SPDX-License-Identifier: Apache-2.0
// Where things lie in the structs that NCCL's host code hands to its kernels, for each NCCL version that was looked
// at (src/include/device.h; `make check-layout NCCL_SRC=DIR` compares a row with a checkout's headers). Only facts:
// offsets in bytes, sizes, bits. An NCCL without a row is refused. Immutable, any thread.
#pragma once

#include <cstdint>

namespace polyrail::vgpu {

// A bit field: distance in bits from the start of its struct, and width.
struct Bits {
  uint16_t at;
  uint8_t width;
};

constexpr uint16_t kAbsent = 0xffff;

// ncclDevComm, ncclKernelComm since 2.25. `stride` is where the array of channels begins behind it.
struct CommLayout {
  uint16_t size, rank, ranks, bufferSizes, p2pChunkSize, abortFlag, channels, workConsumed, stride;
};

// ncclDevChannel
struct ChannelLayout {
  uint16_t size, peers, ringPrevious, ringNext, ringRanks, ringIndex, treeUp, treeDown;
};

// ncclConnInfo and ncclConnFifo; ncclDevChannelPeer is two of them to send and two to receive.
struct ConnectionLayout {
  uint16_t size, buffers, tail, head, flags, stepSize, fifo, step;
};

// ncclDevWorkColl; `registeredSize` is that of ncclDevWorkCollReg.
struct CollectiveLayout {
  uint16_t size, registeredSize;
  Bits argumentIsPointer, networkRegistered, oneRankPerNode;
  uint16_t root, output, input, countLow, countMiddle, countHigh;
  Bits grainsLow, grainsMiddle, grainsHigh;
  uint16_t argument;
};

// ncclDevWorkP2p: addresses, sizes and ranks never moved (0, 8, 16, 24, 32, 36), nor the six bytes from 40 on.
struct P2pLayout {
  uint16_t size;
  Bits sendLl, receiveLl, sendRegistered, receiveRegistered;
};

// One block of rows of ncclDevFuncRowToId (ncclDevFuncId): algorithms in row order.
struct FunctionRows {
  int collective;
  bool reduces;  // a row for each operator and type
  int algorithmCount;
  int algorithms[7];
};

struct Layout {
  int firstVersion, lastVersion;  // ncclGetVersion's numbers, both included
  int types;                      // ncclNumTypes as nvcc sees it
  bool p2pPartsReversed;          // 2.22: a channel's part is its bit-reversed distance
  bool signedDivisor;             // see Reduction
  CommLayout comm;
  ChannelLayout channel;
  ConnectionLayout connection;
  CollectiveLayout collective;
  P2pLayout p2p;
  const FunctionRows* functions;
  int functionCount;
};

// Null for an NCCL that nobody has looked at.
const Layout* layoutOf(int version);

}  // namespace polyrail::vgpu
