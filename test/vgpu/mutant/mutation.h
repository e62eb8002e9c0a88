// SPDX-License-Identifier: Apache-2.0
// What the mutant does otherwise, as VGPU_MUTATION says: flip turns one bit of a message, drop leaves 4 KiB of it as
// they were, swap exchanges two pieces of 4 KiB; version makes handles those of another protocol version. The
// message is the third of 16 KiB or more that a process receives alone. NCCL's threads call; one lock.
#pragma once

#include <cstddef>

namespace polyrail::vgpu {

// A receive of one buffer begins.
void begun(void* request, void* data, size_t capacity);
// It is done; `size` bytes came.
void arrived(void* request, int size);
// What listen has written for the other end.
void listening(void* handle);

}  // namespace polyrail::vgpu
