// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/kernel/function.h"

namespace polyrail::vgpu {

namespace {

constexpr int kOperators = 5;

// Row `row` of one block, counted from the block's start: operator, type, algorithm, protocol, the last the fastest.
Function rowOf(const FunctionRows& rows, int types, int row) {
  Function function;
  function.collective = rows.collective;
  function.protocol = row % kProtocols;
  row /= kProtocols;
  function.algorithm = rows.algorithms[row % rows.algorithmCount];
  row /= rows.algorithmCount;
  function.type = static_cast<Type>(row % types);
  function.op = static_cast<Operator>(row / types);
  return function;
}

const char* const kTypeNames[] = {"i8",  "u8",  "i32", "u32",  "i64",    "u64",
                                  "f16", "f32", "f64", "bf16", "f8e4m3", "f8e5m2"};
const char* const kOperatorNames[] = {"Sum", "Prod", "MinMax", "PreMulSum", "SumPostDiv"};
const char* const kAlgorithmNames[] = {"TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"};
const char* const kProtocolNames[] = {"LL", "LL128", "SIMPLE"};

const char* collectiveName(int collective) {
  switch (collective) {
    case kBroadcast: return "Broadcast";
    case kReduce: return "Reduce";
    case kAllGather: return "AllGather";
    case kReduceScatter: return "ReduceScatter";
    case kAllReduce: return "AllReduce";
    case kSendRecv: return "SendRecv";
    default: return "AllGatherV";
  }
}

bool reduces(const Function& function) {
  return function.collective == kReduce || function.collective == kReduceScatter || function.collective == kAllReduce;
}

}  // namespace

bool functionOf(const Layout& layout, const int* rowToId, int id, Function* out) {
  *out = Function{};
  if (rowToId[0] == id) return true;
  int row = 1;
  for (int block = 0; block < layout.functionCount; ++block) {
    const FunctionRows& rows = layout.functions[block];
    const int count = rows.algorithmCount * kProtocols * (rows.reduces ? kOperators * layout.types : 1);
    for (int i = 0; i < count; ++i, ++row) {
      if (rowToId[row] != id) continue;
      *out = rowOf(rows, layout.types, i);
      return true;
    }
  }
  return false;
}

bool canRun(const Function& function) {
  if (function.collective == kAllGatherV) return false;
  if (reduces(function) && !canReduce(function.type)) return false;
  return function.algorithm == kRing || (function.algorithm == kTree && function.collective == kAllReduce);
}

std::string nameOf(const Function& function) {
  std::string name = collectiveName(function.collective);
  if (function.collective == kSendRecv) return name;
  name += std::string(" ") + kAlgorithmNames[function.algorithm] + " " + kProtocolNames[function.protocol];
  if (!reduces(function)) return name;
  return name + " " + kOperatorNames[static_cast<int>(function.op)] + " " +
         kTypeNames[static_cast<int>(function.type)];
}

}  // namespace polyrail::vgpu
