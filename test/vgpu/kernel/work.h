// SPDX-License-Identifier: Apache-2.0
// Reads one of NCCL's collective works (ncclDevWorkColl) for one channel. Pure, any thread.
#pragma once

#include "test/vgpu/kernel/collective.h"

namespace polyrail::vgpu {

Work workOf(const Layout& layout, const Function& function, const char* at, int channel);

}  // namespace polyrail::vgpu
