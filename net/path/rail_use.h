// SPDX-License-Identifier: Apache-2.0
// What all sending comms of a process do with one NIC port, so that one of them can tell a rail that is slow from one
// that they share, and that they borrow together no more than one would. Each comm adds its part from control's turn.
#pragma once

#include <atomic>
#include <cstdint>

namespace polyrail::net {

struct RailUse {
  std::atomic<uint64_t> done{0};       // bytes that have completed
  std::atomic<uint32_t> borrowers{0};  // comms of other NICs that borrow it now
};

}  // namespace polyrail::net
