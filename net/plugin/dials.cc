// SPDX-License-Identifier: Apache-2.0
#include "net/plugin/dials.h"

#include <algorithm>
#include <mutex>

namespace polyrail::net {

// What is thrown out ends after the lock: that takes verbs.

std::shared_ptr<Dial> Dials::at(const void* memory, const Handle& handle, int device, int64_t now) {
  std::shared_ptr<Dial> old;
  const std::lock_guard lock(mutex_);
  Kept& kept = kept_[memory];
  kept.asked = now;
  if (kept.dial && kept.dial->handle == handle) return kept.dial;
  old = std::move(kept.dial);
  kept.dial = std::make_shared<Dial>(Dial{handle, device, now, nullptr});
  return kept.dial;
}

void Dials::end(const void* memory) {
  decltype(kept_)::node_type ended;
  const std::lock_guard lock(mutex_);
  ended = kept_.extract(memory);
}

std::shared_ptr<Dial> Dials::takeAbandoned(int64_t before) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const auto& entry) { return entry.second.asked < before; });
  if (found == kept_.end()) return nullptr;
  std::shared_ptr<Dial> dial = std::move(found->second.dial);
  kept_.erase(found);
  return dial;
}

}  // namespace polyrail::net
