// SPDX-License-Identifier: Apache-2.0
// The flight recorder of one comm: its last events, for the report of an error and for whoever looks at the process.
// Only what does not happen per message is noted, so that the hot path pays nothing. Owned by the comm; any thread
// may note and read. Allocates nothing but last()'s answer.
#pragma once

#include <algorithm>
#include <mutex>
#include <vector>

#include "common/mutex.h"
#include "net/telemetry/layout.h"

namespace polyrail::net {

class Recorder {
 public:
  // `path`: its number in the comm, or kNoPathOfEvent; `now` in ns of the comm's clock; `value` as EventKind says.
  void note(EventKind kind, unsigned path, uint64_t value, int64_t now) {
    const std::lock_guard lock(mutex_);
    ring_[count_++ % kCommEvents] = {now, value, kind, static_cast<uint16_t>(path), 0};
  }
  // The newest `most`, oldest first.
  std::vector<EventRecord> last(size_t most = kCommEvents) const {
    const std::lock_guard lock(mutex_);
    std::vector<EventRecord> events;
    const uint64_t there = std::min<uint64_t>({count_, kCommEvents, most});
    for (uint64_t i = count_ - there; i < count_; i++) events.push_back(ring_[i % kCommEvents]);
    return events;
  }
  // Into a comm's record.
  void copyTo(CommRecord* record) const {
    const std::lock_guard lock(mutex_);
    record->events = count_;
    record->event = ring_;
  }

 private:
  mutable Mutex mutex_;
  std::array<EventRecord, kCommEvents> ring_{};
  uint64_t count_ = 0;
};

}  // namespace polyrail::net
