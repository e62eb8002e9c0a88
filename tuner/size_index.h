// SPDX-License-Identifier: Apache-2.0
// A step function from message sizes to small values with near-constant look-up, built once and immutable after; any
// number of threads may call find(). The size's power of two picks one of 65 root nodes; a node cuts the stretch
// between its first and last boundary into about as many equal slots as it has boundaries; a slot with at most
// kLeafSteps boundaries is finished by that many compares without a branch, a fuller one leads to a node of its own.
// So boundaries crowded into one octave, or one corner of it, cost a level or two and no long search. A step's value
// lies beside its start, so that a look-up reads three or four cache lines.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace polyrail {

// Where the boundaries are; SizeIndex adds the values.
class SizeSlots {
 public:
  static constexpr uint32_t kLeafSteps = 3;

  SizeSlots() = default;
  // REQUIRES: starts[0] == 0, strictly rising, fewer than 2^24. Throws std::bad_alloc.
  explicit SizeSlots(const std::vector<uint64_t>& starts);

  // The step in force where the size's slot begins; the size's own is that or one of the next kLeafSteps.
  // REQUIRES: made from starts.
  uint32_t stepBefore(uint64_t size) const noexcept {
    uint32_t next = kChild | static_cast<uint32_t>(std::bit_width(size));
    do {
      const Node& node = nodes_[next & ~kChild];
      const uint64_t beyond = size > node.low ? (size - node.low) >> node.shift : 0;
      next = slots_[node.firstSlot + std::min<uint64_t>(beyond, node.lastSlot)];
    } while (next & kChild);
    return next;
  }
  size_t bytes() const { return nodes_.size() * sizeof(Node) + slots_.size() * sizeof(uint32_t); }

 private:
  static constexpr uint32_t kChild = 1u << 31;
  static constexpr size_t kRoots = 65;  // one for each std::bit_width of 64 bits

  struct Node {
    uint64_t low;  // first boundary; smaller sizes use slot 0 too
    uint32_t firstSlot;
    uint32_t lastSlot : 26;  // relative to firstSlot; larger sizes use it too
    uint32_t shift : 6;      // log2 of a slot's width
  };
  using Starts = std::vector<uint64_t>;

  void buildNode(const Starts& starts, size_t node, uint32_t before, uint32_t end);
  void fillSlots(const Starts& starts, size_t node, uint32_t before, uint32_t end);

  std::vector<Node> nodes_;
  std::vector<uint32_t> slots_;  // kChild | node, or a step
};

template <typename Value>
class SizeIndex {
 public:
  // From `start` up to the next step's start the function is `value`.
  struct Step {
    uint64_t start;
    Value value;
  };

  // No value anywhere.
  SizeIndex() = default;
  // REQUIRES: steps empty, or steps[0].start == 0 and starts strictly rising; fewer than 2^24 of them.
  // Throws std::bad_alloc.
  explicit SizeIndex(const std::vector<Step>& steps) {
    if (steps.empty()) return;
    std::vector<uint64_t> starts;
    for (const Step& s : steps) {
      starts.push_back(s.start);
      steps_.push_back(pack(s));
    }
    slots_ = SizeSlots(starts);
    steps_.resize(steps_.size() + SizeSlots::kLeafSteps, pack({UINT64_MAX, steps.back().value}));
  }

  // nullptr when there are no steps. 2^64 - 1 counts as 2^64 - 2, so that the padding after the last step is never
  // reached. The pointer lives as long as the index.
  const Value* find(uint64_t size) const noexcept {
    if (steps_.empty()) return nullptr;
    size = std::min(size, UINT64_MAX - 1);
    const Packed* s = &steps_[slots_.stepBefore(size)];
    return &s[(s[1].from() <= size) + (s[2].from() <= size) + (s[3].from() <= size)].value;
  }
  // The position among the steps of what find() returned.
  size_t ordinal(const Value* found) const noexcept {
    const char* step = reinterpret_cast<const char*>(found) - offsetof(Packed, value);
    return static_cast<size_t>(step - reinterpret_cast<const char*>(steps_.data())) / sizeof(Packed);
  }

  size_t bytes() const { return slots_.bytes() + steps_.size() * sizeof(Packed); }

 private:
  // Without the padding that a uint64_t member would bring.
  struct Packed {
    unsigned char start[sizeof(uint64_t)];
    Value value;
    uint64_t from() const {
      uint64_t from;
      std::memcpy(&from, start, sizeof from);
      return from;
    }
  };
  static Packed pack(const Step& s) {
    Packed packed;
    std::memcpy(packed.start, &s.start, sizeof s.start);
    packed.value = s.value;
    return packed;
  }

  SizeSlots slots_;
  std::vector<Packed> steps_;  // and kLeafSteps of padding
};

}  // namespace polyrail
