// SPDX-License-Identifier: Apache-2.0
// NCCL's version as one comparable number, NCCL_VERSION_CODE of nccl.h: 2.29.2 is 22902. Stateless.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace polyrail::nccl {

// What the rules in this project were read from, and what is assumed when nobody says.
inline constexpr int kReferenceVersion = 23007;

// "2.29.2", "2.29.2+cuda13.1" or "2.29" (patch 0). Absent for anything else, and for NCCL 1.
std::optional<int> parseVersion(std::string_view text);

// 22902 is "2.29.2".
std::string versionText(int code);

}  // namespace polyrail::nccl
