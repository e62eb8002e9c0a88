// SPDX-License-Identifier: Apache-2.0
// What the ranks send and what must come out. Each element of each rank is a number made from rank and place, without
// a period, so that a piece that is missing, doubled or in the wrong place shows; small enough that sums over all
// ranks are exact in its type. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <string>

#include "test/vgpu/driver/cases.h"

namespace polyrail::vgpu {

// nccl-tests' names: "float", "bfloat16", …; -1 when there is no such type (ncclDataType_t) or operator
// (ncclRedOp_t).
int typeOf(const std::string& name);
int operatorOf(const std::string& name);
const char* typeName(int type);
const char* operatorName(int op);
size_t elementSize(int type);

struct Shape {
  Kind kind;
  int type, op, root, ranks;
  size_t count;
};

// What `rank` sends: `elements` of them.
void fill(const Shape& shape, int rank, void* out, size_t elements);
// How many elements of what `rank` received are wrong; averages of floating point may be off by rounding.
size_t countWrong(const Shape& shape, int rank, const void* received, size_t elements);

}  // namespace polyrail::vgpu
