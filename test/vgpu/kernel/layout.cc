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

constexpr Layout kLayouts[] = {
    {22203,
     22203,
     10,
     true,
     false,
     {64, 0, 4, 16, 28, 48, 56, 32, 64},
     {368, 0, 8, 12, 16, 24, 36, 40},
     kConnection,
     {64, 256, {24, 1}, kNone, kNone, 4, 8, 16, 24, 32, 40, {384, 21}, {405, 21}, {426, 21}, 56},
     {48, {368, 1}, {369, 1}, {370, 1}, {371, 1}},
     kFunctions222,
     std::size(kFunctions222)},
    {22902,
     22907,
     12,
     false,
     true,
     {88, 0, 4, 16, 28, 48, 56, kAbsent, 96},
     {368, 0, 8, 12, 16, 32, 44, 48},
     kConnection,
     {96, 288, {24, 1}, {26, 1}, {30, 1}, 4, 8, 16, 56, 64, 72, {640, 21}, {661, 21}, {682, 21}, 88},
     {48, {368, 1}, {369, 1}, {370, 1}, {371, 1}},
     kFunctions229,
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
