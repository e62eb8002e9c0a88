// SPDX-License-Identifier: Apache-2.0
#include "common/policy/model_constants.h"

namespace polyrail {
namespace {

// Algorithms x protocols; links x algorithms x protocols; compute capabilities x scales.
constexpr ModelArray kArrays[] = {
    {"baseLatencies", 2, {7, 3, 1}, true},
    {"hwLatencies", 3, {3, 7, 3}, true},
    {"llMaxBws", 2, {4, 3, 1}, false},
    {"perChMaxRingLL128Bws", 2, {4, 3, 1}, false},
    {"perChMaxTreeLL128Bws", 2, {4, 3, 1}, false},
    {"perChMaxTreeBws", 2, {4, 3, 1}, false},
    {"perChMaxNVLSTreeBws", 2, {4, 3, 1}, false},
};

}  // namespace

std::span<const ModelArray> modelArrays() { return kArrays; }

const ModelArray* findModelArray(std::string_view name) {
  for (const ModelArray& array : kArrays)
    if (array.name == name) return &array;
  return nullptr;
}

}  // namespace polyrail
