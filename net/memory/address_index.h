// SPDX-License-Identifier: Apache-2.0
// Which registration covers a range of addresses, for registrations of one kind: a sorted sequence in blocks of
// neighbours, so that a lookup is two binary searches and a few cache lines also among 10^5. None of those held lies
// inside another, so the order by first address is the order by end, and the last that begins at or before an address
// reaches furthest. Owned by a cache; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace polyrail::net {

struct Registration;

class AddressIndex {
 public:
  struct Entry {
    uintptr_t first = 0, end = 0;
    Registration* registration = nullptr;
  };

  // Null when none covers [first, end).
  Registration* covering(uintptr_t first, uintptr_t end) const;
  // Adds one that none covers. Those that it covers leave the index; they are appended to *covered.
  void add(const Entry& entry, std::vector<Registration*>* covered);
  // REQUIRES: one begins there.
  void remove(uintptr_t first);
  bool empty() const { return blocks_.empty(); }

 private:
  using Block = std::vector<Entry>;
  static constexpr size_t kMost = 32;  // of a block: 768 bytes

  // The block in which an entry that begins at `first` is or would be; 0 when there is none yet.
  size_t blockOf(uintptr_t first) const;
  void removeCovered(const Entry& entry, std::vector<Registration*>* covered);
  void drop(size_t block, size_t place);

  std::vector<uintptr_t> starts_;  // of blocks: their first entry's; the search's upper level, packed
  std::vector<Block> blocks_;      // none is empty
};

}  // namespace polyrail::net
