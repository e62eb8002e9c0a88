// SPDX-License-Identifier: Apache-2.0
// The NCCL releases that call tuners differently: the newest tuner ABI each knows, how many algorithms its table has,
// and how it picks from the table. Read from NCCL's tags v2.21.5 to v2.30.7 (src/plugin/tuner.cc,
// src/enqueue.cc); 2.31 from a vendored copy. Constants; any thread.
#pragma once

#include <array>

namespace polyrail::contract {

struct NcclRelease {
  const char* name;
  int version;  // NCCL_VERSION_CODE
  int newestAbi;
  int numAlgorithms;
  // 2.31 keeps a list of candidates: it copies back only their entries, the last minimum wins, negatives count.
  bool picksFromList;
};

inline constexpr std::array<NcclRelease, 7> kNcclReleases = {{
    {"2.21", 22105, 2, 6, false},  // no table: the answer is taken unchecked
    {"2.22", 22203, 3, 6, false},
    {"2.23", 22304, 3, 7, false},
    {"2.24", 22403, 4, 7, false},  // to 2.27
    {"2.28", 22803, 5, 7, false},  // and 2.29
    {"2.30", 23007, 6, 7, false},
    {"2.31", 23102, 6, 7, true},
}};

}  // namespace polyrail::contract
