// SPDX-License-Identifier: Apache-2.0
// Waits for descriptors on behalf of those who are not called for a while: control channels, asynchronous events.
// It has no thread of its own: the plugin's control thread turns it, or a test does. watch, forget and wake may be
// called from any thread, turn from one.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "common/mutex.h"
#include "common/status.h"

namespace polyrail::net {

// Called by turn(), one at a time and never after forget() has returned. It must be short and must not call the
// reactor.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void ready() = 0;
};

class Reactor {
 public:
  static Result<std::unique_ptr<Reactor>> create();
  ~Reactor();
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  // Edge-triggered: ready() reads until there is nothing left. The descriptor stays the caller's.
  Status watch(int descriptor, Watcher* watcher);
  // Waits for a ready() under way; afterwards there is none.
  void forget(int descriptor);

  // Serves what is ready, waiting for it at most `milliseconds` (-1: for ever).
  void turn(int milliseconds);
  // Makes a turn() that waits return.
  void wake();

 private:
  Reactor(int epoll, int event) : epoll_(epoll), event_(event) {}
  void serve(uint64_t id);

  const int epoll_, event_;
  Mutex mutex_;
  uint64_t nextId_ = 1;                              // 0 is the event of wake()
  std::unordered_map<uint64_t, Watcher*> watchers_;  // by id: a descriptor's number may come again
  std::unordered_map<int, uint64_t> ids_;
};

}  // namespace polyrail::net
