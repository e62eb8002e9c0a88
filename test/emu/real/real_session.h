// SPDX-License-Identifier: Apache-2.0
// Real time: the World of this process follows CLOCK_MONOTONIC, other processes are reached through a Transport. Any
// thread may call; a mutex guards the World. One thread of its own turns the World while the program does not: it
// sleeps until the next event is due, a peer writes or a call needs it sooner. A program that polls completion queues
// turns the World itself, without waking anyone.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "test/emu/real/transport.h"
#include "test/emu/verbs/session.h"

namespace polyrail::emu {

class RealSession final : public Session {
 public:
  Status start();  // reads EMU_FABRIC, EMU_HOST, EMU_FAULTS, EMU_SESSION, EMU_COPY

  void lock() override;
  void unlock() override;
  void pause(int host, Time delay) override;
  bool realTime() const override { return true; }
  void opened() override;
  int64_t presentNs() override;
  bool due() override;

 private:
  Status build(Fabric fabric, FaultScript faults);
  void turn();
  void run();
  Time planSleep();
  bool pollerActive() const;

  std::mutex mutex_;
  Transport transport_;
  int wake_ = -1;  // eventfd that ends the thread's sleep
  bool running_ = false;
  std::atomic<Time> next_{0};     // of the World, for those who ask without the lock
  std::atomic<Time> planned_{0};  // when the thread wakes by itself; 0: it is awake
  std::atomic<Time> polled_{0};   // when a program last polled
};

}  // namespace polyrail::emu
