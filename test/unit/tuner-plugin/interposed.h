// SPDX-License-Identifier: Apache-2.0
// Counts what the process asks of the C library: this program's own malloc, free and pthread locks stand before
// glibc's, for the plugins it loads too. Counting is on only inside a Counted, on the thread that made it.
#pragma once

#include <cstdint>

namespace polyrail::test {

struct Calls {
  uint64_t allocations = 0;  // malloc, calloc, realloc, aligned_alloc, posix_memalign
  uint64_t frees = 0;
  uint64_t locks = 0;  // pthread_mutex_lock and friends
};

class Counted {
 public:
  Counted();
  ~Counted();
  Calls calls() const;
};

// While it lives, allocations of its thread fail after the first `allowed`.
class OutOfMemory {
 public:
  explicit OutOfMemory(uint64_t allowed);
  ~OutOfMemory();
  static bool struck();  // since the last one was made
};

}  // namespace polyrail::test
