// SPDX-License-Identifier: Apache-2.0
// A step function from message sizes to 32-bit values with near-constant look-up, built once and immutable after;
// any number of threads may call find(). The size's power of two picks one of 65 root nodes; a node cuts the stretch
// between its first and last boundary into about as many equal slots as it has boundaries; a slot with at most
// kLeafSteps boundaries is finished by that many compares without a branch, a fuller one leads to a node of its own.
// So boundaries crowded into one octave, or one corner of it, cost a level or two and no long search.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace polyrail {

class SizeIndex {
 public:
  static constexpr uint32_t kNothing = UINT32_MAX;

  // From `start` up to the next step's start the function is `value`.
  struct Step {
    uint64_t start;
    uint32_t value;
    bool operator==(const Step&) const = default;
  };

  // kNothing everywhere.
  SizeIndex() = default;
  // REQUIRES: steps empty, or steps[0].start == 0 and starts strictly rising; fewer than 2^31 of them.
  // Throws std::bad_alloc.
  explicit SizeIndex(std::vector<Step> steps);

  // 2^64 - 1 counts as 2^64 - 2, so that the padding behind the last step is never passed.
  uint32_t find(uint64_t size) const noexcept {
    if (steps_.empty()) return kNothing;
    size = std::min(size, UINT64_MAX - 1);
    const Step* s = &steps_[slotOf(size)];
    return s[(s[1].start <= size) + (s[2].start <= size) + (s[3].start <= size)].value;
  }

  // Memory held, for tests and logs.
  size_t bytes() const;

 private:
  static constexpr uint32_t kLeafSteps = 3;  // s[0..3] are 64 bytes
  static constexpr uint32_t kChild = 1u << 31;
  static constexpr size_t kRoots = 65;  // one for each std::bit_width of 64 bits

  struct Node {
    uint64_t low;  // first boundary; smaller sizes use slot 0 too
    uint32_t firstSlot;
    uint32_t lastSlot : 26;  // relative to firstSlot; larger sizes use it too
    uint32_t shift : 6;      // log2 of a slot's width
  };

  // The step in force where the size's slot begins.
  uint32_t slotOf(uint64_t size) const noexcept {
    uint32_t next = kChild | static_cast<uint32_t>(std::bit_width(size));
    do {
      const Node& node = nodes_[next & ~kChild];
      const uint64_t beyond = size > node.low ? (size - node.low) >> node.shift : 0;
      next = slots_[node.firstSlot + std::min<uint64_t>(beyond, node.lastSlot)];
    } while (next & kChild);
    return next;
  }

  void buildRoots(uint32_t count);
  void buildNode(size_t node, uint32_t before, uint32_t end);
  void fillSlots(size_t node, uint32_t before, uint32_t end);

  std::vector<Node> nodes_;
  std::vector<uint32_t> slots_;  // kChild | node, or an index of steps_
  std::vector<Step> steps_;      // padded by kLeafSteps
};

}  // namespace polyrail
