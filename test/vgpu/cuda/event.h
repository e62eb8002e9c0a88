// SPDX-License-Identifier: Apache-2.0
// Events: each record makes a new state that the stream completes; who waits holds the state that was current when he
// asked. An event that was never recorded counts as complete. Every thread may call.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "test/vgpu/cuda/stream.h"

namespace polyrail::vgpu {

struct EventState {
  void complete();
  void wait();
  bool done();

  std::mutex mutex;
  std::condition_variable changed;
  bool complete_ = false;
  std::chrono::steady_clock::time_point at;
};

class Event {
 public:
  void record(Stream& stream);
  // Makes `stream` wait for the record that is current now; a record made under capture draws `stream` into the
  // capture.
  void holdBack(Stream& stream);
  // The record that a graph's node makes when it runs.
  void recordNow();
  std::shared_ptr<EventState> state();

 private:
  std::mutex mutex_;
  std::shared_ptr<EventState> state_;
  std::weak_ptr<Graph> captured_;
};

}  // namespace polyrail::vgpu
