// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/cuda/stream.h"

#include <atomic>

#include "test/vgpu/cuda/device.h"

namespace polyrail::vgpu {

namespace {
std::atomic<uint64_t> nextId{1};
}

Stream::Stream(int device, bool blocking)
    : device_(device), blocking_(blocking), id_(nextId.fetch_add(1)), thread_([this] { run(); }) {}

Stream::~Stream() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Stream::run() {
  chooseDevice(device_);
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Task task = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    task();
    task = nullptr;  // what it holds goes before anybody hears that it is done
    lock.lock();
    ++done_;
    finished_.notify_all();
  }
}

uint64_t Stream::enqueue(Task task) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(task));
  wake_.notify_one();
  return ++queued_;
}

uint64_t Stream::lastTicket() {
  const std::lock_guard lock(mutex_);
  return queued_;
}

bool Stream::doneThrough(uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  return done_ >= ticket;
}

void Stream::wait(uint64_t ticket) {
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [&] { return done_ >= ticket; });
}

}  // namespace polyrail::vgpu
