// SPDX-License-Identifier: Apache-2.0
// NCCL_ALGO and NCCL_PROTO, read as NCCL reads them (src/graph/tuning.cc; flat lists up to 2.23, lists per collective
// from 2.24): "ring", "^ll128", "ring,tree;allreduce:nvls". Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/nccl/terms.h"
#include "common/status.h"

namespace polyrail::cli {

// Bit i is set when algorithm (protocol) i stays allowed for the collective; all bits for an empty text. A word that
// NCCL would refuse is an error.
Result<uint32_t> allowedAlgorithms(std::string_view text, nccl::Collective collective);
Result<uint32_t> allowedProtocols(std::string_view text, nccl::Collective collective);

}  // namespace polyrail::cli
