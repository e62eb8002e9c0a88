// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/cuda/event.h"

#include "test/vgpu/cuda/graph.h"

namespace polyrail::vgpu {

void EventState::complete() {
  const std::lock_guard lock(mutex);
  complete_ = true;
  at = std::chrono::steady_clock::now();
  changed.notify_all();
}

void EventState::wait() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] { return complete_; });
}

bool EventState::done() {
  const std::lock_guard lock(mutex);
  return complete_;
}

void Event::record(Stream& stream) {
  auto fresh = std::make_shared<EventState>();
  {
    const std::lock_guard lock(mutex_);
    captured_ = stream.capture;
    if (stream.capture) return;  // inside a graph the order of its tasks is all there is
    state_ = fresh;
  }
  push(stream, [fresh] { fresh->complete(); });
}

void Event::holdBack(Stream& stream) {
  std::shared_ptr<EventState> current;
  {
    const std::lock_guard lock(mutex_);
    if (const auto graph = captured_.lock()) {
      stream.capture = graph;
      graph->members.push_back(&stream);
      return;
    }
    current = state_;
  }
  if (current && !current->done()) push(stream, [current] { current->wait(); });
}

void Event::recordNow() {
  auto fresh = std::make_shared<EventState>();
  fresh->complete();
  const std::lock_guard lock(mutex_);
  state_ = fresh;
}

std::shared_ptr<EventState> Event::state() {
  const std::lock_guard lock(mutex_);
  return state_;
}

}  // namespace polyrail::vgpu
