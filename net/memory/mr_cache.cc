// SPDX-License-Identifier: Apache-2.0
#include "net/memory/mr_cache.h"

#include <unistd.h>

#include <mutex>
#include <utility>
#include <vector>

#include "net/memory/register.h"

namespace polyrail::net {
namespace {

uintptr_t pageSize() {
  static const auto size = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

uintptr_t pageOf(uintptr_t address) { return address & ~(pageSize() - 1); }

}  // namespace

MrCache::MrCache(const Verbs& verbs, ibv_pd* pd, std::string device)
    : verbs_(verbs), pd_(pd), device_(std::move(device)) {}

MrCache::~MrCache() {
  while (all_) {
    const std::unique_ptr<Registration> left(std::exchange(all_, all_->next));
    (void)verbs_.deregMr(left->mr);
  }
}

// What the new one covers can no longer be found; its users keep it until they release it.
Registration* MrCache::insert(std::unique_ptr<Registration> fresh) {
  std::vector<Registration*> covered;
  places_[fresh->kind].add({fresh->first, fresh->end, fresh.get()}, &covered);
  for (Registration* r : covered) r->indexed = false;
  Registration* r = fresh.release();
  r->indexed = true;
  r->owner = this;
  r->next = all_;
  if (all_) all_->previous = r;
  all_ = r;
  statistics_.regions++;
  return r;
}

void MrCache::unlink(Registration* r) {
  (r->previous ? r->previous->next : all_) = r->next;
  if (r->next) r->next->previous = r->previous;
  statistics_.regions--;
  if (!r->indexed) return;
  const auto it = places_.find(r->kind);
  it->second.remove(r->first);
  if (it->second.empty()) places_.erase(it);
}

Result<const Registration*> MrCache::acquire(const MemoryRange& range, const RegistrationWays& how) {
  if (range.bytes == 0 || range.address + range.bytes < range.address)
    return Status::error(device_ + ": a range of " + std::to_string(range.bytes) + " bytes cannot be registered");
  const MemoryKind kind = kindOf(range, how);
  const uintptr_t first = pageOf(range.address);
  const uintptr_t end = pageOf(range.address + range.bytes - 1) + pageSize();
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(kind);
  if (Registration* found = place == places_.end() ? nullptr : place->second.covering(first, end)) {
    found->references++;
    statistics_.hits++;
    return static_cast<const Registration*>(found);
  }
  auto fresh = std::make_unique<Registration>();
  fresh->kind = kind;
  fresh->first = first;
  fresh->end = end;
  if (Status bad = registerRange(verbs_, pd_, device_, range, how, fresh.get()); !bad.ok()) {
    statistics_.failures++;
    return bad;
  }
  statistics_.misses++;
  fresh->references = 1;
  return static_cast<const Registration*>(insert(std::move(fresh)));
}

Status MrCache::release(const Registration* registration) {
  const std::lock_guard lock(mutex_);
  if (!registration || registration->owner != this)
    return Status::error(device_ + ": deregistration of memory that is not registered");
  auto* r = const_cast<Registration*>(registration);  // ours: users see it as const
  if (--r->references > 0) return {};
  const std::unique_ptr<Registration> gone(r);
  unlink(r);
  const int error = verbs_.deregMr(r->mr);
  return error ? Status::error(device_ + ": ibv_dereg_mr failed: " + std::strerror(error)) : Status();
}

MrCacheStatistics MrCache::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

}  // namespace polyrail::net
