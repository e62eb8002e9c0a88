// SPDX-License-Identifier: Apache-2.0
// The arrays of NCCL's cost model that a policy may override, by NCCL's names, with their dimensions: what
// ncclTunerConstants_v5_t has (src/include/plugin/tuner/tuner_v5.h, 2.28 to 2.30). Stateless.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace polyrail {

struct ModelArray {
  std::string_view name;
  int dimensions;              // 2 or 3
  std::array<int, 3> extents;  // 1 for an unused trailing dimension
  bool isLatency;              // microseconds, may be 0; else GB/s
};

// In the order of the members of nccl::TunerConstantsV5.
std::span<const ModelArray> modelArrays();

// nullptr when there is none of that name; case matters, as in NCCL's header.
const ModelArray* findModelArray(std::string_view name);

}  // namespace polyrail
