// SPDX-License-Identifier: Apache-2.0
#include "test/emu/verbs/simulation.h"

namespace polyrail::emu {

Simulation::Simulation(Fabric fabric, FaultScript faults) {
  world_ = std::make_unique<World>(std::move(fabric), std::move(faults));
  status_ = world_->faults().start();
  setSession(this);
}

Simulation::~Simulation() { setSession(nullptr); }

void Simulation::setHost(const std::string& name) { host_ = std::max(0, world_->host(name)); }

bool Simulation::until(const std::function<bool()>& done, const std::function<bool()>& round, Time limit) {
  const Time end = world_->now() + limit;
  while (!done()) {
    const bool progress = round();
    if (done()) return true;
    if (world_->now() >= end) return false;
    if (progress)
      world_->settle();
    else if (!world_->advance())
      return done();
  }
  return true;
}

bool Simulation::until(const std::function<bool()>& done, Time limit) {
  return until(
      done, [] { return false; }, limit);
}

}  // namespace polyrail::emu
