// SPDX-License-Identifier: Apache-2.0
// Sizes as people write them in a policy: "64KiB". Stateless.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace polyrail {

// Digits, perhaps a space, perhaps one of B, K, KiB, M, MiB, G, GiB, T, TiB in any case; powers of 1024. Nothing for
// anything else ("64KB" could mean either) and for 2^64 and more.
std::optional<uint64_t> parseByteSize(std::string_view text);

}  // namespace polyrail
