// SPDX-License-Identifier: Apache-2.0
// Send and receive on one channel (src/device/sendrecv.h): all sends and receives of a batch at once, a thread each.
#pragma once

#include <vector>

#include "test/vgpu/kernel/view.h"

namespace polyrail::vgpu {

// `works` point at ncclDevWorkP2p structs that stay as they are until this returns.
void runPointToPoint(const ChannelView& channel, const std::vector<const char*>& works);

}  // namespace polyrail::vgpu
