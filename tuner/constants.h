// SPDX-License-Identifier: Apache-2.0
// Overrides for the constants of NCCL's cost model, from a policy that opts in by naming them. Init only.
#pragma once

#include <span>

#include "common/nccl/tuner_abi.h"
#include "common/policy/policy.h"

namespace polyrail {

// Writes what the overrides name, nothing else; an unknown array, index or a value that is not a finite number >= 0
// is skipped (parsePolicy refuses them with their place). Returns how many were written.
int applyConstants(std::span<const ConstantOverride> overrides, nccl::TunerConstantsV5& constants) noexcept;

}  // namespace polyrail
