// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/kernel/layout.h"

#include <iterator>

#include "test/vgpu/kernel/function.h"

namespace polyrail::vgpu {

namespace {

// The same in every version so far.
constexpr ConnectionLayout kConnection{152, 0, 48, 56, 64, 72, 96, 104};
constexpr Bits kNone{kAbsent, 0};

constexpr FunctionRows kFunctions222[] = {
    {kAllGather, false, 3, {kRing, kCollnetDirect, kNvls}},
    {kBroadcast, false, 1, {kRing}},
    {kAllReduce, true, 6, {kTree, kRing, kCollnetDirect, kCollnetChain, kNvls, kNvlsTree}},
    {kReduce, true, 1, {kRing}},
    {kReduceScatter, true, 3, {kRing, kCollnetDirect, kNvls}},
};

constexpr FunctionRows kFunctions229[] = {
    {kAllGather, false, 4, {kRing, kCollnetDirect, kNvls, kPat}},
    {kBroadcast, false, 1, {kRing}},
    {kAllGatherV, false, 1, {kRing}},
    {kAllReduce, true, 6, {kTree, kRing, kCollnetDirect, kCollnetChain, kNvls, kNvlsTree}},
    {kReduce, true, 1, {kRing}},
    {kReduceScatter, true, 4, {kRing, kCollnetDirect, kNvls, kPat}},
};

constexpr FunctionRows kFunctions223[] = {
    {kAllGather, false, 4, {kRing, kCollnetDirect, kNvls, kPat}},
    {kBroadcast, false, 1, {kRing}},
    {kAllReduce, true, 6, {kTree, kRing, kCollnetDirect, kCollnetChain, kNvls, kNvlsTree}},
    {kReduce, true, 1, {kRing}},
    {kReduceScatter, true, 4, {kRing, kCollnetDirect, kNvls, kPat}},
};

// Bits of ncclDevWorkColl and ncclDevWorkP2p that have not moved.
constexpr Bits kArgumentIsPointer{24, 1}, kNetworkRegistered{26, 1}, kOneRankPerNode{30, 1};
constexpr P2pLayout kP2p{48, {368, 1}, {369, 1}, {370, 1}, {371, 1}};
constexpr CommLayout kComm227{88, 0, 4, 16, 28, 48, 56, kAbsent, 96};
constexpr ChannelLayout kChannel222{368, 0, 8, 12, 16, 24, 36, 40};
constexpr ChannelLayout kChannel229{368, 0, 8, 12, 16, 32, 44, 48};  // ring.rankToIndex came before index
constexpr CollectiveLayout kCollective222{64, 256, kArgumentIsPointer, kNone,     kNone,     4, 8, 16, 24,
                                          32, 40,  {384, 21},          {405, 21}, {426, 21}, 56};
constexpr CollectiveLayout kCollective227{
    96, 288, kArgumentIsPointer, kNetworkRegistered, kOneRankPerNode, 4, 8, 16, 56,
    64, 72,  {640, 21},          {661, 21},          {682, 21},       88};
constexpr CollectiveLayout kCollective230{
    128, 320, kArgumentIsPointer, kNetworkRegistered, kOneRankPerNode, 4,  24, 32, 80,
    88,  96,  {832, 21},          {853, 21},          {874, 21},       112};

// 2.22.3 and 2.29.7 have run here; the others are compared with their headers only.
constexpr Layout kLayouts[] = {
    {22203,
     22203,
     10,
     true,
     false,
     {64, 0, 4, 16, 28, 48, 56, 32, 64},
     kChannel222,
     kConnection,
     kCollective222,
     kP2p,
     kFunctions222,
     std::size(kFunctions222)},
    {22703, 22707, 12, true, true, kComm227, kChannel222, kConnection, kCollective227, kP2p, kFunctions223,
     std::size(kFunctions223)},
    {22803, 22809, 12, false, true, kComm227, kChannel222, kConnection, kCollective227, kP2p, kFunctions223,
     std::size(kFunctions223)},
    {22902, 22907, 12, false, true, kComm227, kChannel229, kConnection, kCollective227, kP2p, kFunctions229,
     std::size(kFunctions229)},
    {23003, 23007, 12, false, true, kComm227, kChannel229, kConnection, kCollective230, kP2p, kFunctions229,
     std::size(kFunctions229)},
};

}  // namespace

const Layout* layoutOf(int version) {
  for (const Layout& layout : kLayouts) {
    if (version >= layout.firstVersion && version <= layout.lastVersion) return &layout;
  }
  return nullptr;
}

}  // namespace polyrail::vgpu
