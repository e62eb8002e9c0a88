// SPDX-License-Identifier: Apache-2.0
// Waits for descriptors and for the passing of time on behalf of those who are not called for a while: control
// channels, asynchronous events, repairs. It has no thread of its own: the plugin's control thread turns it, or a
// test does. watch, forget and wake may be called from any thread, turn from one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "common/clock.h"
#include "common/mutex.h"
#include "common/status.h"

namespace polyrail::net {

// Called by turn(), one at a time and never after forget() has returned, without the reactor's lock: a repair's verbs
// may take a while, and nobody else's watch() or forget() waits for them. It must not call the reactor, but for
// wake().
class Watcher {
 public:
  static constexpr int64_t kNever = INT64_MAX;

  virtual ~Watcher() = default;
  // Its descriptor has something to read.
  virtual void ready() = 0;
  // Its time has come, or it was ready, or somebody woke the reactor. When it wants to be served next, in ns of the
  // monotonic clock.
  virtual int64_t serve(int64_t now) {
    (void)now;
    return kNever;
  }
};

class Reactor {
 public:
  static Result<std::unique_ptr<Reactor>> create();
  ~Reactor();
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  // Edge-triggered: ready() reads until there is nothing left. The descriptor stays the caller's.
  Status watch(int descriptor, Watcher* watcher);
  // Waits for a ready() or serve() of this watcher under way; afterwards there is none.
  void forget(int descriptor);

  // Serves what is ready, waiting for it at most `milliseconds` (-1: for ever).
  void turn(int milliseconds);
  // Makes a turn() that waits return; the next one serves everybody.
  void wake();

 private:
  Reactor(int epoll, int event) : epoll_(epoll), event_(event) {}
  struct Entry {
    Watcher* watcher;
    int64_t due;
  };
  void stir();
  // Calls `act` with the watcher, unless it was forgotten; its answer is when the watcher is due.
  template <typename Act>
  void call(uint64_t id, Act&& act);
  void ready(uint64_t id);
  void serveDue(bool everybody);
  void collectDue(bool everybody, int64_t now);
  bool forgetIdle(int descriptor);
  int patience(int milliseconds) const;

  const int epoll_, event_;
  RealClock clock_;
  int64_t due_ = Watcher::kNever;       // the earliest of all; only turn() looks at it
  std::atomic<bool> everybody_{false};  // wake() was called
  Mutex mutex_;
  uint64_t nextId_ = 1;                           // 0 is the event of wake()
  uint64_t called_ = 0;                           // whose ready() or serve() is under way; 0: nobody's
  std::vector<uint64_t> round_;                   // those to be served; only turn() looks at it
  std::unordered_map<uint64_t, Entry> watchers_;  // by id: a descriptor's number may come again
  std::unordered_map<int, uint64_t> ids_;
};

}  // namespace polyrail::net
