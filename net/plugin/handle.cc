// SPDX-License-Identifier: Apache-2.0
#include "net/plugin/handle.h"

#include <cstring>

namespace polyrail::net {

void write(const Handle& handle, void* bytes) {
  std::memset(bytes, 0, nccl::kNetHandleBytes);
  std::memcpy(bytes, &handle, sizeof handle);
}

Result<Handle> readHandle(const void* bytes) {
  Handle handle;
  std::memcpy(&handle, bytes, sizeof handle);
  if (handle.magic != Handle::kMagic)
    return Status::error(
        "the peer's handle is not polyrail's: its rank runs another network plugin; set "
        "NCCL_NET_PLUGIN=polyrail on every node and look there for a warning of ours");
  if (handle.lowest > kProtocolVersion || handle.highest < kProtocolVersion)
    return Status::error("the peer speaks protocol versions " + std::to_string(handle.lowest) + " to " +
                         std::to_string(handle.highest) + ", here is " + std::to_string(kProtocolVersion) +
                         "; install one polyrail on all nodes");
  return handle;
}

}  // namespace polyrail::net
