// SPDX-License-Identifier: Apache-2.0
// What will happen in the emulated fabric, in order of time and, at the same time, in order of asking: that second
// rule is what makes a run repeatable. An event is a function, an object and a number; the queue owns neither.
// Used by one thread at a time (the World's lock in real time).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace polyrail::emu {

using Time = int64_t;  // nanoseconds
constexpr Time kNever = std::numeric_limits<Time>::max();

struct Event {
  Time at;
  uint64_t order;
  void (*run)(void* target, uint64_t argument);
  void* target;
  uint64_t argument;
};

class EventQueue {
 public:
  void push(Time at, void (*run)(void*, uint64_t), void* target, uint64_t argument) {
    heap_.push_back({at, asked_++, run, target, argument});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  bool empty() const { return heap_.empty(); }
  Time next() const { return heap_.empty() ? kNever : heap_.front().at; }
  // REQUIRES: !empty()
  Event pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Event first = heap_.back();
    heap_.pop_back();
    return first;
  }

 private:
  static bool later(const Event& a, const Event& b) { return a.at != b.at ? a.at > b.at : a.order > b.order; }
  std::vector<Event> heap_;
  uint64_t asked_ = 0;
};

}  // namespace polyrail::emu
