// SPDX-License-Identifier: Apache-2.0
// The plugin's one thread: it turns the reactor until it is told to stop. It takes no signals, which are the
// application's. One owner.
#pragma once

#include <pthread.h>

#include <atomic>

#include "net/reactor/reactor.h"

namespace polyrail::net {

// What it does between two turns, without the reactor's lock: it may take a while and may call the reactor.
class Chore {
 public:
  virtual ~Chore() = default;
  // In how many milliseconds it wants to be asked again at the latest; -1: after the next event.
  virtual int betweenTurns() = 0;
};

class ControlThread {
 public:
  ControlThread() = default;
  ~ControlThread() { stop(); }
  ControlThread(const ControlThread&) = delete;
  ControlThread& operator=(const ControlThread&) = delete;

  // REQUIRES: not running. `reactor` and `chore` (may be null) outlive it.
  Status start(Reactor& reactor, Chore* chore = nullptr);
  // Waits for its end. In a forked child, where it does not exist, does nothing.
  void stop();

 private:
  static void* run(void* self);

  Reactor* reactor_ = nullptr;  // null: not running
  Chore* chore_ = nullptr;
  pthread_t thread_{};
  int pid_ = 0;
  std::atomic<bool> stopping_{false};
};

}  // namespace polyrail::net
