// SPDX-License-Identifier: Apache-2.0
// Copies of a built plugin with some of its exported names made unfindable, so that NCCL has to take an older ABI.
#pragma once

#include <string>
#include <vector>

namespace polyrail::vgpu {

// The path of a copy of build/FILE ("libnccl-net-polyrail.so") in which no lookup finds `names`.
std::string without(const std::string& file, const std::vector<std::string>& names);

}  // namespace polyrail::vgpu
