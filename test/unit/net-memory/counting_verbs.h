// SPDX-License-Identifier: Apache-2.0
// Verbs whose registrations cost nothing and are counted: for tests of the cache alone, with many operations. State
// is the process', reset by each user; safe from several threads.
#pragma once

#include <atomic>
#include <cerrno>

#include "net/verbs/verbs.h"

namespace polyrail::net {

struct Counts {
  std::atomic<int64_t> registered{0}, deregistered{0}, byDmaBuf{0};
  std::atomic<int> failWith{0}, dmaBufFailsWith{0};  // an errno, 0: they work
  int64_t live() const { return registered - deregistered; }
  void reset() { registered = deregistered = byDmaBuf = 0, failWith = dmaBufFailsWith = 0; }
};
inline Counts counts;

inline ibv_mr* countedMr(ibv_pd* pd, void* address, size_t length) {
  auto* mr = new ibv_mr{};
  mr->pd = pd;
  mr->addr = address;
  mr->length = length;
  mr->lkey = mr->rkey = static_cast<uint32_t>(++counts.registered);
  return mr;
}

inline ibv_mr* countedRegMr(ibv_pd* pd, void* address, size_t length, int) {
  if (counts.failWith) return errno = counts.failWith, nullptr;
  return countedMr(pd, address, length);
}

inline ibv_mr* countedRegDmabufMr(ibv_pd* pd, uint64_t, size_t length, uint64_t iova, int, int) {
  if (counts.dmaBufFailsWith) return errno = counts.dmaBufFailsWith, nullptr;
  counts.byDmaBuf++;
  return countedMr(pd, reinterpret_cast<void*>(iova), length);
}

inline int countedDeregMr(ibv_mr* mr) {
  counts.deregistered++;
  delete mr;
  return 0;
}

inline Verbs countingVerbs() {
  Verbs v{};
  v.regMr = countedRegMr;
  v.regDmabufMr = countedRegDmabufMr;
  v.deregMr = countedDeregMr;
  return v;
}

}  // namespace polyrail::net
