// SPDX-License-Identifier: Apache-2.0
// What a NIC port has told about itself since it was opened: counters of its events, so that whoever looks can tell
// what is new to him. Written by the reader of asynchronous events, read by any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace polyrail::net {

struct RailHealth {
  std::atomic<uint32_t> downs{0}, ups{0};  // PORT_ERR; PORT_ACTIVE and everything that may have changed an address
  std::atomic<bool> down{false};           // which of the two came last
  std::atomic<bool> lost{false};           // DEVICE_FATAL: verbs of this NIC mean nothing any more
};

}  // namespace polyrail::net
