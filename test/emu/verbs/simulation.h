// SPDX-License-Identifier: Apache-2.0
// Virtual time: all hosts of a fabric in one process and one thread. While a Simulation lives, the verbs calls of the
// process act on it. Nothing blocks and no thread runs; time passes only in advance(), run() and settle(), so that
// two runs of one scenario and seed are identical. A test drives it like this: give every end a turn, and when none
// of them got anything done, advance(). One Simulation at a time; not thread-safe.
#pragma once

#include <infiniband/verbs.h>

#include <functional>
#include <string>

#include "common/clock.h"
#include "test/emu/verbs/session.h"

namespace polyrail::emu {

class Simulation final : public Session {
 public:
  // An error in the fault script is found by ok().
  explicit Simulation(Fabric fabric, FaultScript faults = {});
  ~Simulation() override;

  const Status& status() const { return status_; }
  // The host whose devices ibv_get_device_list shows from now on, and whose CPU time clock() reads.
  void setHost(const std::string& name);
  // What production code reads: the fabric's time as the current host sees it.
  const Clock& clock() const { return clock_; }
  Time now() const { return world_->now(); }

  void settle() { world_->settle(); }
  bool advance() { return world_->advance(); }
  // Lets virtual time pass, events and all.
  void run(Time duration) { world_->runUntil(world_->now() + duration); }
  // Calls `round` (which gives every end a turn and says whether any got on) until `done`, advancing whenever a round
  // got nowhere. False when the time limit passes first or nothing will ever happen any more.
  bool until(const std::function<bool()>& done, const std::function<bool()>& round, Time limit);
  // As above for ends that have nothing to do but wait.
  bool until(const std::function<bool()>& done, Time limit = 100'000'000'000);

  void pause(int host, Time delay) override { world_->charge(host, delay); }

 private:
  class HostClock final : public Clock {
   public:
    explicit HostClock(const Simulation* owner) : owner_(owner) {}
    int64_t nowNs() const override { return owner_->world_->hostNow(owner_->host_); }

   private:
    const Simulation* owner_;
  };
  HostClock clock_{this};
  Status status_;
};

}  // namespace polyrail::emu
