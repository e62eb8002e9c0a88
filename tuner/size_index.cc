// SPDX-License-Identifier: Apache-2.0
#include "tuner/size_index.h"

namespace polyrail {

SizeSlots::SizeSlots(const Starts& starts) {
  nodes_.resize(kRoots);
  uint32_t before = 0;  // step 0 begins at 0, which is no boundary
  for (size_t width = 0; width < kRoots; width++) {
    uint32_t end = before + 1;
    while (end < starts.size() && static_cast<size_t>(std::bit_width(starts[end])) <= width) end++;
    buildNode(starts, width, before, end);
    before = end - 1;
  }
}

// The node's boundaries are the starts of steps before+1 .. end-1.
void SizeSlots::buildNode(const Starts& starts, size_t node, uint32_t before, uint32_t end) {
  const uint32_t boundaries = end - before - 1;
  const uint32_t firstSlot = static_cast<uint32_t>(slots_.size());
  if (boundaries <= kLeafSteps) {
    nodes_[node] = {0, firstSlot, 0, 0};
    slots_.push_back(before);
    return;
  }
  const uint64_t low = starts[before + 1];
  const uint64_t span = starts[end - 1] - low;
  const int slotBits = static_cast<int>(std::bit_width(boundaries));
  const int spanBits = static_cast<int>(std::bit_width(span));
  const uint32_t shift = static_cast<uint32_t>(std::max(0, spanBits - slotBits));
  const uint32_t lastSlot = static_cast<uint32_t>(span >> shift);
  nodes_[node] = {low, firstSlot, lastSlot & ((1u << 26) - 1), shift & 63};
  slots_.resize(slots_.size() + lastSlot + 1);
  fillSlots(starts, node, before, end);
}

void SizeSlots::fillSlots(const Starts& starts, size_t index, uint32_t before, uint32_t end) {
  const Node node = nodes_[index];  // a copy: children move the array
  for (uint32_t slot = 0; slot <= node.lastSlot; slot++) {
    uint32_t next = before + 1;
    while (next < end && (starts[next] - node.low) >> node.shift == slot) next++;
    if (next - before - 1 <= kLeafSteps) {
      slots_[node.firstSlot + slot] = before;
    } else {
      // Fewer boundaries than here, because the first and the last one are in different slots: this ends.
      slots_[node.firstSlot + slot] = kChild | static_cast<uint32_t>(nodes_.size());
      nodes_.emplace_back();
      buildNode(starts, nodes_.size() - 1, before, next);
    }
    before = next - 1;
  }
}

}  // namespace polyrail
