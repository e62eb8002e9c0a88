// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "cli/perf/content.h"
#include "cli/perf/series.h"
#include "cli/perf/transfer.h"
#include "common/nccl/net_types.h"

namespace polyrail::cli {
namespace {

class Receiver {
 public:
  explicit Receiver(const SeriesEnd& end) : end_(end), patience_(end.control, end.patience) {}

  Result<Received> run() {
    if (const Status s = clearSlots(end_); !s.ok()) return s;
    while (!over()) {
      const Result<bool> moved = turn();
      if (!moved.ok()) return moved.status();
      if (moved.value()) {
        patience_.moved();
        continue;
      }
      if (const Status s = patience_.idle(); !s.ok()) return withFinding(s);
    }
    const Result<std::string> last = checkSlots(end_, result_.messages);
    if (!last.ok()) return last.status();
    note(last.value());
    return result_;
  }

 private:
  uint64_t depth() const { return static_cast<uint64_t>(end_.slots.count()); }
  // As many marks come as receives were posted beyond the data.
  bool over() const { return ended_ && done_ == result_.messages + depth(); }

  Result<bool> turn() {
    const Result<bool> posted = post();
    if (!posted.ok()) return posted;
    const Result<bool> completed = complete();
    if (!completed.ok()) return completed;
    return posted.value() || completed.value();
  }

  Result<bool> post() {
    if (posted_ == (ended_ ? result_.messages : done_) + depth()) return false;
    const int slot = static_cast<int>(posted_ % depth());
    void*& request = requests_[static_cast<size_t>(slot)];
    if (const Status s = startReceive(end_.plugin, end_.comm, end_.slots, slot, &request); !s.ok()) return s;
    if (request == nullptr) return false;
    posted_++;
    return true;
  }

  Result<bool> complete() {
    if (done_ == posted_) return false;
    const int slot = static_cast<int>(done_ % depth());
    int size = 0;
    const Result<bool> done = finished(end_.plugin, requests_[static_cast<size_t>(slot)], &size);
    if (!done.ok() || !done.value()) return done;
    if (const Status s = take(slot, static_cast<size_t>(size)); !s.ok()) return s;
    done_++;
    return true;
  }

  Status take(int slot, size_t size) {
    if (size == markOf(end_.slots.size())) return ended_ = true, Status();
    const uint64_t number = result_.messages++;
    if (ended_) return note(fmt::format("message {} came after the end", number)), Status();
    if (size != end_.slots.size())
      return note(fmt::format("message {} has {} bytes, not {}", number, size, end_.slots.size())), Status();
    if (end_.slots.onGpu())
      if (Status s = flushSlot(end_, slot); !s.ok()) return s;
    const Result<std::string> found = checkMessage(end_, slot, number);
    if (!found.ok()) return found.status();
    note(found.value());
    return {};
  }

  // A plugin that gets sizes or counts wrong may leave this end waiting: what was wrong before says why.
  Status withFinding(const Status& status) const {
    return result_.wrong ? Status::error(result_.firstWrong + "; then " + status.message()) : status;
  }

  void note(const std::string& what) {
    if (what.empty()) return;
    if (result_.wrong++ == 0) result_.firstWrong = what;
  }

  const SeriesEnd& end_;
  Patience patience_;
  std::array<void*, nccl::kNetMaxRequests> requests_ = {};
  uint64_t posted_ = 0, done_ = 0;
  bool ended_ = false;
  Received result_;
};

}  // namespace

void Received::add(const Received& more) {
  messages += more.messages;
  if (wrong == 0) firstWrong = more.firstWrong;
  wrong += more.wrong;
}

Result<Received> receiveSeries(const SeriesEnd& end) { return Receiver(end).run(); }

}  // namespace polyrail::cli
