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

#include "common/mutex.h"
#include "common/status.h"
#include "net/memory/address_index.h"
#include "net/memory/memory_range.h"
#include "net/verbs/verbs.h"

namespace polyrail::net {

// One registration, shared by all who asked for a part of it. Read-only for them; valid until their release().
struct alignas(64) Registration {  // what a lookup touches lies in the first line
  ibv_mr* mr = nullptr;
  uint32_t references = 0;  // under the cache's lock, as all that follow
  bool indexed = false;     // can be found: no larger one covers it
  bool viaDmaBuf = false;
  const void* owner = nullptr;   // the cache
  uintptr_t first = 0, end = 0;  // whole pages
  MemoryKind kind{};
  Registration *previous = nullptr, *next = nullptr;
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
  Registration* insert(std::unique_ptr<Registration> fresh);
  void unlink(Registration* registration);

  const Verbs& verbs_;
  ibv_pd* const pd_;
  const std::string device_;
  mutable Mutex mutex_;
  std::map<MemoryKind, AddressIndex> places_;
  Registration* all_ = nullptr;  // a list: owned, found or not
  MrCacheStatistics statistics_;
};

}  // namespace polyrail::net
