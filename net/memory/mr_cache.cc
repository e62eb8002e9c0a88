// SPDX-License-Identifier: Apache-2.0
#include "net/memory/mr_cache.h"

#include <mutex>

#include <unistd.h>

#include <tuple>

#include "net/memory/register.h"

namespace polyrail::net {
namespace {

uintptr_t pageSize() {
  static const auto size = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

uintptr_t pageOf(uintptr_t address) { return address & ~(pageSize() - 1); }

}  // namespace

bool MrCache::Place::operator<(const Place& other) const {
  return std::tie(kind, first) < std::tie(other.kind, other.first);
}

MrCache::MrCache(const Verbs& verbs, ibv_pd* pd, std::string device)
    : verbs_(verbs), pd_(pd), device_(std::move(device)) {}

MrCache::~MrCache() {
  for (const auto& [registration, owned] : all_) (void)verbs_.deregMr(registration->mr);
}

Registration* MrCache::covering(const Place& place, uintptr_t end) const {
  auto at = places_.upper_bound(place);
  if (at == places_.begin()) return nullptr;
  --at;
  return at->first.kind == place.kind && at->second->end >= end ? at->second : nullptr;
}

// What the new one covers can no longer be found; its users keep it until they release it.
void MrCache::index(Registration* r) {
  auto at = places_.lower_bound({r->kind, r->first});
  while (at != places_.end() && at->first.kind == r->kind && at->second->end <= r->end) {
    at->second->indexed = false;
    at = places_.erase(at);
  }
  places_.emplace_hint(at, Place{r->kind, r->first}, r);
  r->indexed = true;
}

Result<const Registration*> MrCache::acquire(const MemoryRange& range, const RegistrationWays& how) {
  if (range.bytes == 0 || range.address + range.bytes < range.address)
    return Status::error(device_ + ": a range of " + std::to_string(range.bytes) + " bytes cannot be registered");
  const Place place{kindOf(range, how), pageOf(range.address)};
  const uintptr_t end = pageOf(range.address + range.bytes - 1) + pageSize();
  const std::lock_guard lock(mutex_);
  if (Registration* found = covering(place, end)) {
    found->references++;
    statistics_.hits++;
    return static_cast<const Registration*>(found);
  }
  auto fresh = std::make_unique<Registration>();
  fresh->kind = place.kind;
  fresh->first = place.first;
  fresh->end = end;
  if (Status bad = registerRange(verbs_, pd_, device_, range, how, fresh.get()); !bad.ok()) {
    statistics_.failures++;
    return bad;
  }
  statistics_.misses++;
  fresh->references = 1;
  Registration* r = fresh.get();
  all_.emplace(r, std::move(fresh));
  index(r);
  return static_cast<const Registration*>(r);
}

Status MrCache::release(const Registration* registration) {
  const std::lock_guard lock(mutex_);
  const auto it = all_.find(registration);
  if (it == all_.end()) return Status::error(device_ + ": deregistration of memory that is not registered");
  Registration& r = *it->second;
  if (--r.references > 0) return {};
  if (r.indexed) places_.erase({r.kind, r.first});
  const int error = verbs_.deregMr(r.mr);
  all_.erase(it);
  return error ? Status::error(device_ + ": ibv_dereg_mr failed: " + std::strerror(error)) : Status();
}

MrCacheStatistics MrCache::statistics() const {
  const std::lock_guard lock(mutex_);
  MrCacheStatistics s = statistics_;
  s.regions = all_.size();
  return s;
}

}  // namespace polyrail::net
