// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "cli/perf/content.h"
#include "cli/perf/series.h"
#include "cli/perf/stop.h"
#include "cli/perf/transfer.h"
#include "common/nccl/net_types.h"

namespace polyrail::cli {
namespace {

class Sender {
 public:
  Sender(const SeriesEnd& end, const SeriesLength& length)
      : end_(end), length_(length), patience_(end.control, end.patience) {}

  Result<Sent> run() {
    if (const Status s = prepareSlots(end_); !s.ok()) return s;
    while (!over()) {
      const Result<bool> moved = turn();
      if (!moved.ok()) return moved.status();
      if (moved.value()) {
        patience_.moved();
        continue;
      }
      if (const Status s = patience_.idle(); !s.ok()) return s;
    }
    return Sent{messages_, static_cast<double>(lastNs_ - start_) / 1e9};
  }

 private:
  uint64_t depth() const { return static_cast<uint64_t>(end_.slots.count()); }
  bool over() const { return ended_ && done_ == messages_ + depth(); }

  // A series has a message at least. Time begins with the first one that the plugin takes: the other end may come
  // late.
  bool mayEnd() const {
    if (sent_ == 0) return false;
    if (stopAsked()) return true;
    if (length_.messages > 0) return sent_ >= length_.messages;
    return static_cast<double>(clock_.nowNs() - start_) >= length_.seconds * 1e9;
  }

  Result<bool> turn() {
    const Result<bool> sent = send();
    if (!sent.ok()) return sent;
    const Result<bool> completed = complete();
    if (!completed.ok()) return completed;
    return sent.value() || completed.value();
  }

  Result<bool> send() {
    if (sent_ - done_ == depth() || (ended_ && sent_ == messages_ + depth())) return false;
    if (!ended_ && mayEnd()) ended_ = true, messages_ = sent_, lastNs_ = clock_.nowNs();  // a stall at the end counts
    const int slot = static_cast<int>(sent_ % depth());
    if (!ended_ && filled_ == sent_) {
      if (const Status s = writeMessage(end_, slot, sent_); !s.ok()) return s;
      filled_++;
    }
    void*& request = requests_[static_cast<size_t>(slot)];
    const size_t size = ended_ ? markOf(end_.slots.size()) : end_.slots.size();
    const int64_t before = clock_.nowNs();
    if (const Status s = startSend(end_.plugin, end_.comm, end_.slots, slot, size, &request); !s.ok()) return s;
    if (request == nullptr) return false;
    if (sent_ == 0) start_ = before;
    sent_++;
    return true;
  }

  Result<bool> complete() {
    if (done_ == sent_) return false;
    Result<bool> done = finished(end_.plugin, requests_[done_ % depth()], nullptr);
    if (!done.ok() || !done.value()) return done;
    done_++;
    if (!ended_ || done_ <= messages_) lastNs_ = clock_.nowNs();
    return true;
  }

  const SeriesEnd& end_;
  const SeriesLength length_;
  const RealClock clock_;
  Patience patience_;
  std::array<void*, nccl::kNetMaxRequests> requests_ = {};
  uint64_t filled_ = 0, sent_ = 0, done_ = 0;
  uint64_t messages_ = 0;  // set by the end
  bool ended_ = false;
  int64_t start_ = 0, lastNs_ = 0;
};

}  // namespace

Result<Sent> sendSeries(const SeriesEnd& end, const SeriesLength& length) { return Sender(end, length).run(); }

}  // namespace polyrail::cli
