// SPDX-License-Identifier: Apache-2.0
#include "cli/perf/pings.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "cli/perf/content.h"
#include "cli/perf/transfer.h"
#include "common/nccl/net_types.h"

namespace polyrail::cli {
namespace {

class PingPong {
 public:
  PingPong(const PingEnd& end, uint64_t count)
      : end_(end),
        count_(count),
        patience_(end.control, end.patience),
        out_{end.plugin, end.control, end.sending, end.link.send(), end.content, end.patience},
        in_{end.plugin, end.control, end.receiving, end.link.recv(), end.content, end.patience} {}

  Status start() {
    if (Status s = prepareSlots(out_); !s.ok()) return s;
    if (Status s = clearSlots(in_); !s.ok()) return s;
    return postAhead();
  }

  Status write(uint64_t number) { return writeMessage(out_, slotOf(out_, number), number); }

  Status send(uint64_t number) {
    return until(
        [&] {
          return startSend(end_.plugin, out_.comm, out_.slots, slotOf(out_, number), out_.slots.size(), &sent_);
        },
        [&] { return sent_ != nullptr; });
  }

  Status sendIsDone() {
    bool done = false;
    return until([&] { return look(sent_, nullptr, &done); }, [&] { return done; });
  }

  Status receive(uint64_t number) {
    bool done = false;
    void* request = requests_[static_cast<size_t>(slotOf(in_, number))];
    return until([&] { return look(request, &size_, &done); }, [&] { return done; });
  }

  Status check(uint64_t number) {
    if (in_.slots.onGpu())
      if (Status s = flushSlot(in_, slotOf(in_, number)); !s.ok()) return s;
    const Result<std::string> found = checkMessage(in_, slotOf(in_, number), number);
    if (!found.ok()) return found.status();
    note(static_cast<size_t>(size_) == in_.slots.size() ? found.value()
                                                        : fmt::format("message {} has {} bytes", number, size_));
    pings.received.messages++;
    return postAhead();
  }

  Status finish() {
    const Result<std::string> found = checkSlots(in_, count_);
    if (!found.ok()) return found.status();
    note(found.value());
    return {};
  }

  int64_t now() const { return clock_.nowNs(); }
  Pings pings;

 private:
  static int slotOf(const SeriesEnd& end, uint64_t number) {
    return static_cast<int>(number % static_cast<uint64_t>(end.slots.count()));
  }

  Status look(void* request, int* size, bool* done) const {
    const Result<bool> finishedNow = finished(end_.plugin, request, size);
    if (finishedNow.ok()) *done = finishedNow.value();
    return finishedNow.ok() ? Status() : finishedNow.status();
  }

  template <typename Attempt, typename Reached>
  Status until(Attempt attempt, Reached reached) {
    for (;;) {
      if (Status s = attempt(); !s.ok()) return s;
      if (reached()) break;
      if (Status s = patience_.idle(); !s.ok()) return s;
    }
    patience_.moved();
    return {};
  }

  Status postAhead() {
    const uint64_t ahead = pings.received.messages + static_cast<uint64_t>(in_.slots.count());
    for (; posted_ < std::min(ahead, count_); posted_++) {
      void*& request = requests_[static_cast<size_t>(slotOf(in_, posted_))];
      if (Status s =
              until([&] { return startReceive(end_.plugin, in_.comm, in_.slots, slotOf(in_, posted_), &request); },
                    [&] { return request != nullptr; });
          !s.ok())
        return s;
    }
    return {};
  }

  void note(const std::string& what) {
    if (what.empty()) return;
    if (pings.received.wrong++ == 0) pings.received.firstWrong = what;
  }

  const PingEnd& end_;
  const uint64_t count_;
  const RealClock clock_;
  Patience patience_;
  const SeriesEnd out_, in_;
  std::array<void*, nccl::kNetMaxRequests> requests_ = {};
  void* sent_ = nullptr;
  int size_ = 0;
  uint64_t posted_ = 0;
};

// The first of these that fails, if one does.
template <typename... Steps>
Status inTurn(Steps... steps) {
  Status status;
  ((status = steps(), status.ok()) && ...);
  return status;
}

}  // namespace

Result<Pings> ping(const PingEnd& end, uint64_t count) {
  PingPong p(end, count);
  Status s = p.start();
  for (uint64_t i = 0; i < count && s.ok(); i++) {
    if (s = p.write(i); !s.ok()) break;
    const int64_t start = p.now();
    s = inTurn([&] { return p.send(i); }, [&] { return p.receive(i); });
    p.pings.microseconds.push_back(static_cast<double>(p.now() - start) / 2e3);
    if (s.ok()) s = inTurn([&] { return p.sendIsDone(); }, [&] { return p.check(i); });
  }
  if (s.ok()) s = p.finish();
  if (!s.ok()) return s;
  return std::move(p.pings);
}

Result<Pings> answerPings(const PingEnd& end, uint64_t count) {
  PingPong p(end, count);
  Status s = p.start();
  for (uint64_t i = 0; i < count && s.ok(); i++)
    s = inTurn([&] { return p.write(i); }, [&] { return p.receive(i); }, [&] { return p.send(i); },
               [&] { return p.check(i); }, [&] { return p.sendIsDone(); });
  if (s.ok()) s = p.finish();
  if (!s.ok()) return s;
  return std::move(p.pings);
}

double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<size_t>(rank, 1, sorted.size()) - 1];
}

}  // namespace polyrail::cli
