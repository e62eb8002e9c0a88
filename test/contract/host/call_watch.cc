// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/call_watch.h"

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>

namespace polyrail::contract {

CallWatch::Reading CallWatch::now() {
  using std::chrono::nanoseconds;
  Reading r{std::chrono::steady_clock::now().time_since_epoch(), nanoseconds(0), nanoseconds(0)};
  FILE* file = fopen("/proc/thread-self/schedstat", "re");
  if (file == nullptr) return r;  // without it, waiting for a processor counts as blocking
  int64_t computed = 0, queued = 0;
  if (fscanf(file, "%" SCNd64 " %" SCNd64, &computed, &queued) == 2)
    r.computed = nanoseconds(computed), r.queued = nanoseconds(queued);
  fclose(file);
  return r;
}

std::chrono::milliseconds CallWatch::blocked() const {
  const Reading end = now();
  const auto busy = (end.computed - start_.computed) + (end.queued - start_.queued);
  const auto blocked = std::max(std::chrono::nanoseconds(0), end.wall - start_.wall - busy);
  return std::chrono::duration_cast<std::chrono::milliseconds>(blocked);
}

}  // namespace polyrail::contract
