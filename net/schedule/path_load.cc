// SPDX-License-Identifier: Apache-2.0
#include "net/schedule/path_load.h"

namespace polyrail::net {
namespace {

constexpr double kGain = 0.25;        // of a new sample; ten of them reach 95 % of a step
constexpr double kSampleNs = 50'000;  // shorter samples are mostly the grain of polling
constexpr double kLatencyGain = 0.125;
constexpr double kMaxLatency = 200'000;  // a window must not grow with a queue that others made
constexpr int64_t kMaxSlack = 4 << 20;
constexpr double kMinRate = 1e-6;  // 1 KB/s: keeps the arithmetic finite

}  // namespace

void PathLoad::setRate(double bytesPerNs) {
  rate_ = std::max(std::min(bytesPerNs, most_), kMinRate);
  nsPerByte_ = 1 / rate_;
}

void PathLoad::post(uint64_t bytes, int64_t now) {
  if (inFlight_ == 0) {
    fresh_ = true;
    lastEvent_ = now;
    firstBytes_ = static_cast<int64_t>(bytes);
  }
  inFlight_ += static_cast<int64_t>(bytes);
}

void PathLoad::firstAfterIdle(int64_t now) {
  const double way = static_cast<double>(now - lastEvent_) - static_cast<double>(firstBytes_) * nsPerByte_;
  latency_ += kLatencyGain * (std::clamp(way, 0.0, kMaxLatency) - latency_);
  sampleBytes_ = sampleNs_ = 0;
}

void PathLoad::fold() {
  setRate(rate_ + kGain * (sampleBytes_ / sampleNs_ - rate_));
  sampleBytes_ = sampleNs_ = 0;
  slack_ -= slack_ / 32;
}

// The end of service lies somewhere before now, so the sample is a lower bound.
void PathLoad::ranDry(uint64_t bytes, bool waiting) {
  if (sampleNs_ >= kSampleNs && sampleBytes_ > sampleNs_ * rate_) fold();
  sampleBytes_ = sampleNs_ = 0;
  if (waiting) slack_ = std::min(std::max(2 * slack_, static_cast<int64_t>(bytes)), kMaxSlack);
}

void PathLoad::complete(uint64_t bytes, int64_t now, bool waiting) {
  inFlight_ -= static_cast<int64_t>(bytes);
  if (now != lastEvent_ && !fresh_) {
    if (sampleNs_ >= kSampleNs) fold();
    sampleNs_ += static_cast<double>(now - lastEvent_);
  } else if (fresh_ && now != lastEvent_) {
    firstAfterIdle(now);
  }
  // What completes together with the first after idle was served at an unknown time.
  if (sampleNs_ > 0) sampleBytes_ += static_cast<double>(bytes);
  fresh_ = false;
  lastEvent_ = now;
  if (inFlight_ == 0) ranDry(bytes, waiting);
}

}  // namespace polyrail::net
