// SPDX-License-Identifier: Apache-2.0
// The registrations of one device: NCCL registers the same buffer many times, and a registration costs a system call
// that takes longer the larger it is. Ordered by address, reference-counted, whole pages; a range shares a
// registration of its kind (host or GPU, dma-buf) that covers it. Owned by its OpenDevice. Any thread: a mutex guards
// it, and it is held while verbs registers, so that two threads do not register one range twice. Never called by the
// data path.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include <string>
#include <unordered_map>

#include "common/mutex.h"
#include "common/status.h"
#include "net/memory/memory_range.h"
#include "net/verbs/verbs.h"

namespace polyrail::net {

// One registration, shared by all who asked for a part of it. Read-only for them; valid until their release().
struct Registration {
  ibv_mr* mr = nullptr;
  MemoryKind kind{};
  uintptr_t first = 0, end = 0;  // whole pages
  bool viaDmaBuf = false;
  bool indexed = false;  // can be found: no larger one covers it. Under the cache's lock, as
  uint32_t references = 0;
};

struct MrCacheStatistics {
  uint64_t hits = 0, misses = 0, failures = 0;
  size_t regions = 0;
};

class MrCache {
 public:
  MrCache(const Verbs& verbs, ibv_pd* pd, std::string device);
  ~MrCache();  // deregisters what is left, which is a caller's leak
  MrCache(const MrCache&) = delete;
  MrCache& operator=(const MrCache&) = delete;

  // Registers, or finds a registration that covers the range. What fits how is in `how`. The error is one line with
  // the device, the size and the remedy.
  Result<const Registration*> acquire(const MemoryRange& range, const RegistrationWays& how);
  // Drops one reference; the last one deregisters. An error when it is none of ours, or verbs refuses.
  Status release(const Registration* registration);
  MrCacheStatistics statistics() const;

 private:
  // By kind and first page. None of a kind lies inside another, so the order by first page is the order by end, and
  // the last that begins at or before an address is the one that reaches furthest.
  struct Place {
    MemoryKind kind;
    uintptr_t first;
    bool operator<(const Place& other) const;
  };

  Registration* covering(const Place& place, uintptr_t end) const;
  void index(Registration* registration);

  const Verbs& verbs_;
  ibv_pd* const pd_;
  const std::string device_;
  mutable Mutex mutex_;
  std::map<Place, Registration*> places_;
  std::unordered_map<const Registration*, std::unique_ptr<Registration>> all_;
  MrCacheStatistics statistics_;
};

}  // namespace polyrail::net
