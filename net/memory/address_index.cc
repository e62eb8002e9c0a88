// SPDX-License-Identifier: Apache-2.0
#include "net/memory/address_index.h"

#include <algorithm>

namespace polyrail::net {
namespace {

bool beginsLater(uintptr_t first, const AddressIndex::Entry& e) { return first < e.first; }
bool beginsEarlier(const AddressIndex::Entry& e, uintptr_t first) { return e.first < first; }

}  // namespace

size_t AddressIndex::blockOf(uintptr_t first) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), first);
  return after == starts_.begin() ? 0 : static_cast<size_t>(after - starts_.begin()) - 1;
}

Registration* AddressIndex::covering(uintptr_t first, uintptr_t end) const {
  if (blocks_.empty()) return nullptr;
  const Block& block = blocks_[blockOf(first)];
  const auto after = std::upper_bound(block.begin(), block.end(), first, beginsLater);
  if (after == block.begin()) return nullptr;
  const Entry& furthest = *(after - 1);
  return furthest.end >= end ? furthest.registration : nullptr;
}

void AddressIndex::add(const Entry& entry, std::vector<Registration*>* covered) {
  removeCovered(entry, covered);
  if (blocks_.empty()) {
    blocks_.push_back({entry});
    starts_.push_back(entry.first);
    return;
  }
  const size_t b = blockOf(entry.first);
  Block& block = blocks_[b];
  block.insert(std::upper_bound(block.begin(), block.end(), entry.first, beginsLater), entry);
  starts_[b] = block.front().first;
  if (block.size() < kMost) return;
  const auto half = block.begin() + static_cast<std::ptrdiff_t>(kMost / 2);
  Block later(half, block.end());
  block.erase(half, block.end());
  starts_.insert(starts_.begin() + static_cast<std::ptrdiff_t>(b) + 1, later.front().first);
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(b) + 1, std::move(later));
}

// They are neighbours: the first that begins at or after the new one, and on while they end within it.
void AddressIndex::removeCovered(const Entry& entry, std::vector<Registration*>* covered) {
  while (!blocks_.empty()) {
    size_t b = blockOf(entry.first);
    auto at = std::lower_bound(blocks_[b].begin(), blocks_[b].end(), entry.first, beginsEarlier);
    if (at == blocks_[b].end()) {
      if (++b == blocks_.size()) return;
      at = blocks_[b].begin();
    }
    if (at->end > entry.end) return;
    covered->push_back(at->registration);
    drop(b, static_cast<size_t>(at - blocks_[b].begin()));
  }
}

void AddressIndex::remove(uintptr_t first) {
  const size_t b = blockOf(first);
  const auto at = std::lower_bound(blocks_[b].begin(), blocks_[b].end(), first, beginsEarlier);
  drop(b, static_cast<size_t>(at - blocks_[b].begin()));
}

void AddressIndex::drop(size_t b, size_t place) {
  Block& block = blocks_[b];
  block.erase(block.begin() + static_cast<std::ptrdiff_t>(place));
  if (!block.empty()) {
    starts_[b] = block.front().first;
    return;
  }
  blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(b));
  starts_.erase(starts_.begin() + static_cast<std::ptrdiff_t>(b));
}

}  // namespace polyrail::net
