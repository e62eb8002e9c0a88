// SPDX-License-Identifier: Apache-2.0
// Compiled against the headers of one NCCL by ./check-layout: what they say and what kernel/layout.cc says.
#include <cstdio>
#include <cstring>

#include "collectives.h"
#include "device.h"
#include "test/vgpu/kernel/layout.h"

using namespace polyrail::vgpu;

#if HAS_KERNEL_COMM
using Comm = struct ncclKernelComm;
using CommAndChannels = struct ncclKernelCommAndChannels;
#else
using Comm = struct ncclDevComm;
using CommAndChannels = struct ncclDevCommAndChannels;
#endif

namespace {

int differences = 0, compared = 0;

void same(const char* what, long theirs, long ours) {
  ++compared;
  if (theirs == ours) return;
  ++differences;
  printf("%-28s NCCL %ld, layout.cc %ld\n", what, theirs, ours);
}

// Where a bit field lies: all ones in it, nothing elsewhere.
template <typename T, typename F>
Bits bitsOf(F set) {
  T value;
  memset(&value, 0, sizeof value);
  set(value);
  unsigned char bytes[sizeof(T)];
  memcpy(bytes, &value, sizeof value);
  Bits found{kAbsent, 0};
  for (unsigned i = 0; i < sizeof(T) * 8; ++i) {
    if (!(bytes[i / 8] >> (i % 8) & 1)) continue;
    if (found.at == kAbsent) found.at = static_cast<uint16_t>(i);
    ++found.width;
  }
  return found;
}

void same(const char* what, Bits theirs, Bits ours) {
  same(what, theirs.at, ours.at);
  same(what, theirs.width, ours.width);
}

}  // namespace

#define PLACE(type, field, ours) same(#type "." #field, static_cast<long>(offsetof(type, field)), ours)
#define BITS(type, field, ours) same(#type "." #field, bitsOf<type>([](auto& v) { v.field = ~0ull; }), ours)

// A field that some versions lack is looked for in a dependent context.
template <typename T>
void compareConsumed(const CommLayout& ours) {
  if constexpr (requires(T t) { t.workConsumed; }) {
    same("Comm.workConsumed", static_cast<long>(offsetof(T, workConsumed)), ours.workConsumed);
  } else {
    same("Comm.workConsumed", kAbsent, ours.workConsumed);
  }
}

template <typename T>
void compareRegistered(const CollectiveLayout& ours) {
  if constexpr (requires(T t) {
                  t.netRegUsed = 1;
                  t.isOneRPN = 1;
                }) {
    same("netRegUsed", bitsOf<T>([](auto& v) { v.netRegUsed = ~0u; }), ours.networkRegistered);
    same("isOneRPN", bitsOf<T>([](auto& v) { v.isOneRPN = ~0u; }), ours.oneRankPerNode);
  }
}

int main() {
  const Layout* ours = layoutOf(NCCL_VERSION_CODE);
  if (!ours) {
    printf("check-layout: kernel/layout.cc has no NCCL %d\n", NCCL_VERSION_CODE);
    return 2;
  }
  same("sizeof Comm", sizeof(Comm), ours->comm.size);
  PLACE(Comm, rank, ours->comm.rank);
  PLACE(Comm, nRanks, ours->comm.ranks);
  PLACE(Comm, buffSizes, ours->comm.bufferSizes);
  PLACE(Comm, p2pChunkSize, ours->comm.p2pChunkSize);
  PLACE(Comm, abortFlag, ours->comm.abortFlag);
  PLACE(Comm, channels, ours->comm.channels);
  PLACE(CommAndChannels, channels, ours->comm.stride);
  compareConsumed<Comm>(ours->comm);
  same("sizeof ncclDevChannel", sizeof(ncclDevChannel), ours->channel.size);
  PLACE(ncclDevChannel, peers, ours->channel.peers);
  PLACE(ncclDevChannel, ring.prev, ours->channel.ringPrevious);
  PLACE(ncclDevChannel, ring.next, ours->channel.ringNext);
  PLACE(ncclDevChannel, ring.userRanks, ours->channel.ringRanks);
  PLACE(ncclDevChannel, ring.index, ours->channel.ringIndex);
  PLACE(ncclDevChannel, tree.up, ours->channel.treeUp);
  PLACE(ncclDevChannel, tree.down, ours->channel.treeDown);
  same("sizeof ncclConnInfo", sizeof(ncclConnInfo), ours->connection.size);
  PLACE(ncclConnInfo, tail, ours->connection.tail);
  PLACE(ncclConnInfo, head, ours->connection.head);
  PLACE(ncclConnInfo, flags, ours->connection.flags);
  PLACE(ncclConnInfo, stepSize, ours->connection.stepSize);
  PLACE(ncclConnInfo, connFifo, ours->connection.fifo);
  PLACE(ncclConnInfo, step, ours->connection.step);
  same("sizeof ncclConnFifo", sizeof(ncclConnFifo), 24);
  PLACE(ncclConnFifo, size, 8);
  same("sizeof ncclDevWorkColl", sizeof(ncclDevWorkColl), ours->collective.size);
  same("sizeof ncclDevWorkCollReg", sizeof(ncclDevWorkCollReg), ours->collective.registeredSize);
  BITS(ncclDevWorkColl, redOpArgIsPtr, ours->collective.argumentIsPointer);
  compareRegistered<ncclDevWorkColl>(ours->collective);
  PLACE(ncclDevWorkColl, root, ours->collective.root);
  PLACE(ncclDevWorkColl, recvbuff, ours->collective.output);
  PLACE(ncclDevWorkColl, sendbuff, ours->collective.input);
  PLACE(ncclDevWorkColl, cbd.countLo, ours->collective.countLow);
  PLACE(ncclDevWorkColl, cbd.countMid, ours->collective.countMiddle);
  PLACE(ncclDevWorkColl, cbd.countHi, ours->collective.countHigh);
  BITS(ncclDevWorkColl, cbd.chunkGrainsLo, ours->collective.grainsLow);
  BITS(ncclDevWorkColl, cbd.chunkGrainsMid, ours->collective.grainsMiddle);
  BITS(ncclDevWorkColl, cbd.chunkGrainsHi, ours->collective.grainsHigh);
  PLACE(ncclDevWorkColl, redOpArg, ours->collective.argument);
  same("sizeof ncclDevWorkP2p", sizeof(ncclDevWorkP2p), ours->p2p.size);
  PLACE(ncclDevWorkP2p, recvAddr, 8);
  PLACE(ncclDevWorkP2p, recvBytes, 24);
  PLACE(ncclDevWorkP2p, recvRank, 36);
  PLACE(ncclDevWorkP2p, recvChunkSize_u32fp8, 45);
  BITS(ncclDevWorkP2p, sendProtoLL, ours->p2p.sendLl);
  BITS(ncclDevWorkP2p, recvProtoLL, ours->p2p.receiveLl);
  same("sizeof ncclDevWorkBatch", sizeof(ncclDevWorkBatch), 16);
  BITS(ncclDevWorkBatch, nextJump, (Bits{0, 14}));
  BITS(ncclDevWorkBatch, nextExtends, (Bits{14, 1}));
  BITS(ncclDevWorkBatch, workType, (Bits{15, 2}));
  BITS(ncclDevWorkBatch, funcId, (Bits{17, 15}));
  same("sizeof ncclDevKernelArgs", sizeof(ncclDevKernelArgs), 32);
  PLACE(ncclDevKernelArgs, workBuf, 24);
  printf("NCCL %d: %d facts compared, %d differ\n", NCCL_VERSION_CODE, compared, differences);
  return differences ? 1 : 0;
}
