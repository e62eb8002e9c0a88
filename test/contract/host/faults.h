// SPDX-License-Identifier: Apache-2.0
// Breaches of a contract, collected as sentences by several threads and, when it lives in memory that a parent mapped
// before it forked, by several processes. Bounded: what comes after kBytes is counted, not kept. Appending never
// blocks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace polyrail::contract {

class Faults {
 public:
  static constexpr size_t kBytes = 32 << 10;

  void add(const std::string& sentence);
  bool any() const { return count_ != 0; }
  // One sentence a line, each once, in the order they came.
  std::string text() const;

 private:
  std::atomic<uint32_t> used_ = 0, count_ = 0;
  std::array<char, kBytes> text_ = {};
};

}  // namespace polyrail::contract
