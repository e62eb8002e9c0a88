// SPDX-License-Identifier: Apache-2.0
// The thread's last error, as the runtime keeps it, and names of errors. Any thread.
#pragma once

#include "test/vgpu/cuda/api.h"

namespace polyrail::vgpu {

// Remembers `error` if it is one and gives it back.
int done(int error);
int takeLastError(bool forget);
const char* errorName(int error);

}  // namespace polyrail::vgpu
