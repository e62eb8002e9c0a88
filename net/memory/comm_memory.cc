// SPDX-License-Identifier: Apache-2.0
#include "net/memory/comm_memory.h"

#include <mutex>

namespace polyrail::net {

Result<std::unique_ptr<RailMemory>> CommMemory::add(const MemoryRange& range) {
  const std::lock_guard lock(mutex_);
  Result<std::unique_ptr<RailMemory>> made = RailMemory::create(std::span(rails_).first(own_), range);
  if (!made.ok() || own_ == rails_.size()) return made;
  RailMemory& memory = *made.value();
  for (const unsigned rail : extended_) {
    if (Status bad = memory.acquire(rail, rails_[rail]); !bad.ok()) return bad;
    memory.show(rail);
  }
  memory.group_ = shared_from_this();
  memory.place_ = all_.size();
  all_.push_back(&memory);
  return made;
}

Status CommMemory::extend(unsigned rail, Gate& gate) {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < all_.size(); i++) {
    Status bad = all_[i]->acquire(rail, rails_[rail]);
    if (bad.ok()) continue;
    while (i-- > 0) (void)all_[i]->release(rail);
    return bad;
  }
  extended_.push_back(rail);
  const Gate::Hold hold(gate);
  for (RailMemory* memory : all_) memory->show(rail);
  return {};
}

void CommMemory::remove(RailMemory& memory) {
  const std::lock_guard lock(mutex_);
  all_[memory.place_] = all_.back();
  all_[memory.place_]->place_ = memory.place_;
  all_.pop_back();
}

}  // namespace polyrail::net
