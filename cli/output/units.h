// SPDX-License-Identifier: Apache-2.0
// Bytes and times as people write them. Stateless, and the same in every locale.
#pragma once

#include <cstdint>
#include <string>

namespace polyrail::cli {

// "64 KiB", "1.5 MiB", "777 B": exact where the number is whole, four significant digits otherwise.
std::string humanBytes(uint64_t bytes);

// "12.3 us", "4.56 ms", "1.5 s": three significant digits, whole seconds from 1000 s on.
std::string humanTime(double microseconds);

// Parses "64K", "64KiB", "64 kb", "1.5M", "1e6", "8589934592"; powers of 1024, as nccl-tests' -b and -e read them,
// and like those it drops the fraction of a byte. False, and *bytes untouched, on anything else, on a sign, on more
// than 2^64 - 1 and on less than one byte that is not 0.
bool parseBytes(const std::string& text, uint64_t* bytes);

}  // namespace polyrail::cli
