// SPDX-License-Identifier: Apache-2.0
// Which path the next chunk goes to: the one that would finish it first, among those that have room. Nominal speeds
// are only the first guess; PathLoad learns the rest from completions. A plain value of one comm without clock,
// verbs or memory of its own; the comm says what was posted, what completed and what time it is.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "net/path/layout.h"
#include "net/schedule/path_load.h"

namespace polyrail::net {

class Scheduler {
 public:
  static constexpr int kNone = -1;

  // Bytes a ns of each path, at most kMaxCommPaths.
  void start(std::span<const double> nominal);

  // The path for a chunk, or kNone: it should wait. `eligible` are the paths that could take it now, one bit each;
  // `backlog` the bytes of all chunks that are bound to no path, this one included.
  int pick(uint64_t bytes, uint64_t backlog, uint32_t eligible, int64_t now) const;
  // The eligible path that would finish a small message first, window or not.
  int soonest(uint64_t bytes, uint32_t eligible, int64_t now) const;
  void postSmall(unsigned path, uint64_t bytes) { load_[path].postSmall(bytes); }
  void completeSmall(unsigned path, uint64_t bytes) { load_[path].completeSmall(bytes); }
  void post(unsigned path, uint64_t bytes, int64_t now) { load_[path].post(bytes, now); }
  void complete(unsigned path, uint64_t bytes, int64_t now, bool waiting) {
    load_[path].complete(bytes, now, waiting);
  }
  // A path that is out of use, and one that comes back with a guess of its rate in bytes a ns.
  void stop(unsigned path) { load_[path] = PathLoad(0); }
  void restart(unsigned path, double rate, double most = std::numeric_limits<double>::infinity()) {
    load_[path] = PathLoad(rate, most);
    paths_ = std::max(paths_, path + 1);
  }
  const PathLoad& load(unsigned path) const { return load_[path]; }
  unsigned paths() const { return paths_; }

 private:
  bool worthIt(unsigned path, double finish, uint64_t bytes, uint64_t backlog, int64_t now) const;

  unsigned paths_ = 0;
  std::array<PathLoad, kMaxCommPaths> load_{};
};

}  // namespace polyrail::net
