// SPDX-License-Identifier: Apache-2.0
// The NCCL releases that call tuners differently: the newest tuner ABI each knows, how many algorithms its table has,
// and how it picks from the table. Read from NCCL's tags v2.21.5 to v2.30.7 (src/plugin/tuner.cc,
// src/enqueue.cc); 2.31 from a vendored copy. Constants; any thread.
#pragma once

#include <array>
#include <ostream>

#include "cli/model/selection.h"

namespace polyrail::contract {

struct NcclRelease {
  const char* name;
  int version;  // NCCL_VERSION_CODE
  int newestAbi;
  int numAlgorithms;
  nccl::SelectionRule rule;
};

inline std::ostream& operator<<(std::ostream& out, const NcclRelease& release) { return out << release.name; }

inline constexpr std::array<NcclRelease, 7> kNcclReleases = {{
    {"2.21", 22105, 2, 6, nccl::SelectionRule::kUntil230},  // no table: the answer is taken unchecked
    {"2.22", 22203, 3, 6, nccl::SelectionRule::kUntil230},
    {"2.23", 22304, 3, 7, nccl::SelectionRule::kUntil230},
    {"2.24", 22403, 4, 7, nccl::SelectionRule::kUntil230},  // to 2.27
    {"2.28", 22803, 5, 7, nccl::SelectionRule::kUntil230},  // and 2.29
    {"2.30", 23007, 6, 7, nccl::SelectionRule::kUntil230},
    {"2.31", 23102, 6, 7, nccl::SelectionRule::kFrom231},
}};

}  // namespace polyrail::contract
