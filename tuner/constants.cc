// SPDX-License-Identifier: Apache-2.0
#include "tuner/constants.h"

#include <array>
#include <cmath>

#include "common/policy/model_constants.h"

namespace polyrail {
namespace {

using nccl::TunerConstantsV5;

bool inside(const std::array<int, 3>& index, const std::array<int, 3>& size) {
  for (size_t i = 0; i < 3; i++)
    if (index[i] < 0 || index[i] >= size[i]) return false;
  return true;
}

// modelArrays() is in the order of the struct's members, which are all arrays of double.
double* find(const ConstantOverride& wanted, TunerConstantsV5& constants) {
  double* first = reinterpret_cast<double*>(&constants);
  for (const ModelArray& array : modelArrays()) {
    const std::array<int, 3>& size = array.extents;
    if (array.name == wanted.array && inside(wanted.index, size))
      return &first[(ptrdiff_t{wanted.index[0]} * size[1] + wanted.index[1]) * size[2] + wanted.index[2]];
    first += ptrdiff_t{size[0]} * size[1] * size[2];
  }
  return nullptr;
}

}  // namespace

int applyConstants(std::span<const ConstantOverride> overrides, TunerConstantsV5& constants) noexcept {
  int written = 0;
  for (const ConstantOverride& o : overrides) {
    double* place = std::isfinite(o.value) && o.value >= 0 ? find(o, constants) : nullptr;
    if (!place) continue;
    *place = o.value;
    written++;
  }
  return written;
}

}  // namespace polyrail
