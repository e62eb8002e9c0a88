// SPDX-License-Identifier: Apache-2.0
// One run of chaos in virtual time: messages of many sizes between two hosts of 2 to 8 rails each, while rails die,
// come back, slow down, swallow packets and deliver them late, at either end. One rail at each end is spared, often
// two that have no path between them at first, so that everything must arrive: every byte is compared, and a write
// into a buffer whose receive was reported done is seen. The seed says everything; two runs of one seed are the same.
// Unfused: several comms, each on a NIC of its own with the others as siblings, and two bouts of faults, between
// which there is time enough for all comms to return to their NICs.
#pragma once

#include <cstdint>
#include <string>

namespace polyrail::net {

struct ChaosOptions {
  uint64_t seed = 1;
  uint64_t messages = 500;
  bool unfenced = false;  // see CommOptions::unfenced
  bool spare = true;      // one rail at each end never fails
  bool unfused = false;
};

struct ChaosResult {
  uint64_t received = 0;  // messages that arrived whole, in order
  std::string error;      // of either end, or what was wrong with a message; empty: none
  std::string wrong;      // of the message whose bytes or size were not those that were sent; empty: none
  size_t violations = 0;  // writes into finished buffers or outside of any
  uint64_t fences = 0, revivals = 0;
  uint64_t away = 0;        // unfused: comms that were not on their own NIC alone when the second bout began
  uint64_t extensions = 0;  // siblings on which memory was registered
  bool ended = false;       // all arrived, or both ends know that they cannot
  std::string left;         // objects that were not destroyed
};

ChaosResult runChaos(const ChaosOptions& options);

}  // namespace polyrail::net
