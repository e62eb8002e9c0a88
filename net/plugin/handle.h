// SPDX-License-Identifier: Apache-2.0
// What listen writes into NCCL's handle, and connect at the other rank reads: where the listener is and what it wants
// to be shown. Bytes from another process, perhaps of another version: parse checks. Plain values.
#pragma once

#include <optional>

#include "common/nccl/net_types.h"
#include "net/connect/wire.h"
#include "net/wire/message.h"

namespace polyrail::net {

struct Handle {
  uint32_t magic = kMagic;
  uint16_t lowest = kProtocolVersion, highest = kProtocolVersion;
  WireAddress address;
  Secret secret{};
  uint64_t number = 0;  // of the listener, in its process

  static constexpr uint32_t kMagic = 0x484c5250;  // "PRLH"
  bool operator==(const Handle&) const = default;
};
static_assert(sizeof(Handle) <= nccl::kNetHandleBytes);

void write(const Handle& handle, void* bytes);
// The error says what kind of peer wrote it.
Result<Handle> readHandle(const void* bytes);

}  // namespace polyrail::net
