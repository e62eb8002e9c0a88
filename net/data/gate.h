// SPDX-License-Identifier: Apache-2.0
// Who may touch a comm: NCCL's thread on the hot path, or the control thread for a repair. The hot path never waits:
// when control is there, or wants to be, it turns back and NCCL calls again. Control waits until the hot path has
// left, which it does within microseconds. One thread at a time on the hot path; holders, which are control and
// whoever gives memory back, wait for each other.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "common/mutex.h"
#include "net/data/bare.h"

namespace polyrail::net {

class Gate {
 public:
  // The hot path: inside from a true answer to leave(). Each side says that it comes before it looks for the other
  // (Dekker), so that at least one of them sees it.
  bool enter() {
    if constexpr (kBare) return true;
    inside_.exchange(true);
    if (!wanted_.load()) [[likely]]
      return true;
    leave();
    return false;
  }
  void leave() {
    if constexpr (!kBare) inside_.store(false, std::memory_order_release);
  }

  // The same where the paths out are many.
  class Pass {
   public:
    explicit Pass(Gate& gate) : gate_(gate), inside_(gate.enter()) {}
    ~Pass() {
      if (inside_) gate_.leave();
    }
    Pass(const Pass&) = delete;
    explicit operator bool() const { return inside_; }

   private:
    Gate& gate_;
    const bool inside_;
  };

  // Control: alone as long as it lives. Not twice by one thread.
  class Hold {
   public:
    explicit Hold(Gate& gate) : gate_(gate), alone_(gate.holders_) {
      gate_.wanted_.store(true);
      while (gate_.inside_.load()) std::this_thread::yield();
    }
    ~Hold() { gate_.wanted_.store(false, std::memory_order_release); }
    Hold(const Hold&) = delete;

   private:
    Gate& gate_;
    const std::lock_guard<Mutex> alone_;
  };

 private:
  std::atomic<bool> inside_{false}, wanted_{false};
  Mutex holders_;
};

}  // namespace polyrail::net
