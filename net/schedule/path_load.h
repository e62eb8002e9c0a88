// SPDX-License-Identifier: Apache-2.0
// What one path carries and how fast it has been seen to do it. A path serves its chunks in order, so the bytes that
// complete while it never runs dry, over the time they take, are its rate: its share of both rails, of their fabric
// and of whoever else is there. The first completion after an idle spell tells the time of the way instead. Small
// messages are counted but not timed. A plain value of one comm; times are nanoseconds of any clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace polyrail::net {

class PathLoad {
 public:
  PathLoad() = default;
  // Whatever is measured, it counts for no more than `most`: it may have no more.
  explicit PathLoad(double bytesPerNs, double most = std::numeric_limits<double>::infinity()) : most_(most) {
    setRate(bytesPerNs);
  }

  void postSmall(uint64_t bytes) { small_ += static_cast<int64_t>(bytes); }
  void completeSmall(uint64_t bytes) { small_ -= static_cast<int64_t>(bytes); }
  void post(uint64_t bytes, int64_t now);
  // `waiting`: chunks waited for room meanwhile, so a path that ran dry had too small a window.
  void complete(uint64_t bytes, int64_t now, bool waiting);

  int64_t inFlight() const { return inFlight_ + small_; }
  double rate() const { return rate_; }
  double latency() const { return latency_; }
  int64_t lastEvent() const { return lastEvent_; }
  // When a chunk that is posted now would be done, in ns from now. A path that owes a completion for longer than its
  // rate explains is believed to be as slow as it looks.
  double finish(uint64_t bytes, int64_t now) const {
    const double model = static_cast<double>(inFlight() + static_cast<int64_t>(bytes)) * nsPerByte_ + latency_;
    return std::max(model, silence(now));
  }
  double rateNow(int64_t now) const {
    const double model = static_cast<double>(inFlight()) * nsPerByte_ + latency_, silent = silence(now);
    return silent > model ? rate_ * model / silent : rate_;
  }
  bool hasRoom(uint64_t bytes) const {
    return inFlight_ == 0 || inFlight_ + static_cast<int64_t>(bytes) <= window(bytes);
  }
  // Bytes that may be under way: what the way holds, a batch of two chunks, and what starvation has shown to lack.
  int64_t window(uint64_t chunk) const {
    return static_cast<int64_t>(rate_ * latency_) + 2 * static_cast<int64_t>(chunk) + slack_;
  }

 private:
  double silence(int64_t now) const { return inFlight_ > 0 ? static_cast<double>(now - lastEvent_) : 0; }
  void setRate(double bytesPerNs);
  void firstAfterIdle(int64_t now);
  void fold();
  void ranDry(uint64_t bytes, bool waiting);

  double most_ = std::numeric_limits<double>::infinity();
  double rate_ = 1, nsPerByte_ = 1;  // bytes a ns, and its inverse
  double latency_ = 10'000;          // ns from posting to completion, without the time of service
  int64_t inFlight_ = 0, small_ = 0, slack_ = 0;
  int64_t lastEvent_ = 0;  // of the last completion, or of the post that ended an idle spell
  int64_t firstBytes_ = 0;
  bool fresh_ = true;  // no completion since idle
  double sampleBytes_ = 0, sampleNs_ = 0;
};

}  // namespace polyrail::net
