// SPDX-License-Identifier: Apache-2.0
// What a batch's function id means: NCCL numbers the combinations that it compiled and keeps the table from rows to
// numbers in the library (ncclDevFuncRowToId); here it is read backwards. Made once for a process, then immutable.
#pragma once

#include <string>

#include "test/vgpu/kernel/element.h"
#include "test/vgpu/kernel/layout.h"

namespace polyrail::vgpu {

// ncclFunc_t and NCCL_ALGO_*, NCCL_PROTO_* (src/include/nccl_common.h)
enum Collective : int {
  kBroadcast = 0,
  kReduce = 1,
  kAllGather = 2,
  kReduceScatter = 3,
  kAllReduce = 4,
  kSendRecv = 5,
  kAllGatherV = 11,
};
enum Algorithm : int { kTree, kRing, kCollnetDirect, kCollnetChain, kNvls, kNvlsTree, kPat };
enum Protocol : int { kLl, kLl128, kSimple, kProtocols };

struct Function {
  int collective = kSendRecv;
  int algorithm = kRing;
  int protocol = kSimple;
  Operator op = Operator::kSum;
  Type type = Type::kI8;
};

// False when the id is in no row.
bool functionOf(const Layout& layout, const int* rowToId, int id, Function* out);
// Whether the interpreter can run it; the rest is refused at launch.
bool canRun(const Function& function);
// "AllReduce RING SIMPLE Sum f32"
std::string nameOf(const Function& function);

}  // namespace polyrail::vgpu
