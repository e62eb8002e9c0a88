// SPDX-License-Identifier: Apache-2.0
// Element types and reductions of NCCL's kernels on the CPU. `argument` is what NCCL's host code prepares for the
// operator (src/enqueue.cc, hostToDevRedOp). Pure functions, any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace polyrail::vgpu {

// ncclDataType_t (nccl.h); fp8 is not computed here.
enum class Type : int { kI8, kU8, kI32, kU32, kI64, kU64, kF16, kF32, kF64, kBf16, kFp8E4, kFp8E5 };

// ncclDevRedOp_t (src/include/device.h). MinMax takes the smaller after an exclusive or with the argument.
enum class Operator : int { kSum, kProduct, kMinMax, kPreMulSum, kSumPostDiv };

size_t sizeOf(Type type);
bool canReduce(Type type);

struct Reduction {
  Type type = Type::kI8;
  Operator op = Operator::kSum;
  uint64_t argument = 0;
  bool signedDivisor = false;  // NCCL >= 2.23 gives divisor * 2 + is-signed for SumPostDiv, older ones the divisor
};

// accumulator[i] = accumulator[i] op input[i]
void reduce(const Reduction& reduction, void* accumulator, const void* input, size_t count);
// What the operator does to a rank's own input before, and to a finished result after.
void applyBefore(const Reduction& reduction, void* data, size_t count);
void applyAfter(const Reduction& reduction, void* data, size_t count);

}  // namespace polyrail::vgpu
