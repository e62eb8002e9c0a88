// SPDX-License-Identifier: Apache-2.0
// Quantities as people write them in fabric and fault files: "10us", "2.5Gb/s", "64KiB". A plain number is in the
// base unit (nanoseconds, bits a second, bytes). Pure functions, independent of the locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace polyrail::emu {

std::optional<int64_t> parseTime(std::string_view text);   // ns us ms s -> nanoseconds
std::optional<int64_t> parseRate(std::string_view text);   // b/s Kb/s Mb/s Gb/s, MB/s GB/s -> bits a second
std::optional<int64_t> parseBytes(std::string_view text);  // B KB MB GB KiB MiB GiB -> bytes

}  // namespace polyrail::emu
