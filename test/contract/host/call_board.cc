// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/call_board.h"

#include <unistd.h>

#include <set>

namespace polyrail::contract {
namespace {

CallBoard* installed = nullptr;

int64_t now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

// A thread's place, which a forked child must not share with its parent.
struct Seat {
  pid_t process = 0;
  uint32_t number = 0;
};
thread_local Seat seat;

}  // namespace

void CallBoard::install() { installed = this; }

std::string CallBoard::stuck(std::chrono::milliseconds age) const {
  std::set<std::string> names;
  for (const Place& place : places_)
    if (const char* function = place.function; function && now() - place.since >= age.count()) names.insert(function);
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

InCall::InCall(const char* function) : place_(nullptr) {
  if (installed == nullptr) return;
  if (const pid_t process = getpid(); seat.process != process) seat = {process, installed->taken_++};
  place_ = &installed->places_[seat.number % installed->places_.size()];
  place_->since = now();
  place_->function = function;
}

InCall::~InCall() {
  if (place_) place_->function = nullptr;
}

}  // namespace polyrail::contract
