// SPDX-License-Identifier: Apache-2.0
// The keys of one registered buffer on every rail of a comm: what an mhandle of NCCL is to the data path. Filled by
// whoever registers, read while requests that name it are under way, not owned here. Plain value.
#pragma once

#include <array>
#include <cstdint>

#include "net/wire/message.h"

namespace polyrail::net {

struct MemoryKeys {
  uint64_t address = 0, length = 0;                // of the region
  bool device = false;                             // GPU memory
  uint16_t rails = 0xff;                           // rails on which it is registered, one bit each
  std::array<uint32_t, kMaxRails> lkey{}, rkey{};  // by the comm's local rail
};

}  // namespace polyrail::net
