// SPDX-License-Identifier: Apache-2.0
// Streams: a thread each with a queue of tasks that run in order. Launches never block the caller, since ranks of one
// process launch one after the other what only completes together. The legacy rule holds: the null stream of a device
// and its blocking streams wait for each other, non-blocking streams do not. Every thread may call.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "test/vgpu/cuda/api.h"

namespace polyrail::vgpu {

using Task = std::function<void()>;

class Stream {
 public:
  Stream(int device, bool blocking);
  ~Stream();  // runs what is queued, then ends the thread
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // A ticket is a task's number from 1 on; `doneThrough` and `wait` say whether all up to it have run.
  uint64_t enqueue(Task task);
  uint64_t lastTicket();
  bool doneThrough(uint64_t ticket);
  void wait(uint64_t ticket);

  int device() const { return device_; }
  bool blocking() const { return blocking_; }
  uint64_t id() const { return id_; }

  // The graph that tasks go to while the stream is captured; the caller of the capture functions owns the order.
  std::shared_ptr<Graph> capture;

 private:
  void run();

  const int device_;
  const bool blocking_;
  const uint64_t id_;
  std::mutex mutex_;
  std::condition_variable wake_, finished_;
  std::deque<Task> queue_;
  uint64_t queued_ = 0, done_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

// What a runtime call's stream argument means: null, 1 (legacy) and 2 (per thread) are the device's null stream.
Stream& streamOf(Stream* handle);
// Queues a task under the legacy rule, or adds it to the graph that is being captured.
void push(Stream& stream, Task task);
// Makes a stream, or ends one; the null streams live until the process ends.
Stream* makeStream(bool blocking);
void endStream(Stream* stream);
// Waits until every stream of the device has run what is queued now.
void synchronizeDevice(int device);
size_t liveStreams();

}  // namespace polyrail::vgpu
