// SPDX-License-Identifier: Apache-2.0
#include "tuner/channels.h"

#include <algorithm>

namespace polyrail::nccl {
namespace {

constexpr uint64_t divideUp(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

bool isNvls(const ChannelQuestion& q) {
  return q.algorithm == Algorithm::kNvls || q.algorithm == Algorithm::kNvlsTree;
}

// NVLS on several nodes goes through CollNet (2.30.7 enqueue.cc:449).
bool scheduledAsCollNet(const ChannelQuestion& q) {
  return isCollNet(q.algorithm) || (q.algorithm == Algorithm::kNvls && q.nodes > 1);
}

// 2.30.7 tuning.cc:246-257. PAT has no entry there: 0 threads, so its channels are never reduced.
uint64_t maxThreads(const ChannelQuestion& q) {
  if (q.algorithm == Algorithm::kPat) return 0;
  if (isCollNet(q.algorithm)) return 640;
  if (q.protocol == Protocol::kLl128) return 640;
  const bool few = q.algorithm == Algorithm::kRing && q.protocol == Protocol::kSimple && q.slowRing;
  return few ? 256 : 512;
}

// Bytes a thread must have before another channel starts (comm.h:49-51, tuning.cc:587-595).
uint64_t bytesPerThread(const ChannelQuestion& q) {
  if (isCollNet(q.algorithm)) return 512;
  if (q.protocol == Protocol::kSimple) return 64;
  const bool ringLl = q.algorithm == Algorithm::kRing && q.protocol == Protocol::kLl;
  return ringLl ? 8 * static_cast<uint64_t>(q.ranks) : 8;
}

int modelOfRingAndTree(const ChannelQuestion& q) {
  const uint64_t perChannel = maxThreads(q) * bytesPerThread(q);
  if (perChannel == 0) return q.pool;
  return static_cast<int>(std::clamp<uint64_t>(q.totalBytes / perChannel, 1, static_cast<uint64_t>(q.pool)));
}

// NVLS has channels of its own; from 2.28 on, several nodes are bound by the pool too.
int modelOfNvls(const ChannelQuestion& q) {
  const bool bound = q.algorithm == Algorithm::kNvls && q.nodes > 1 && q.version >= 22803;
  return bound ? std::min(q.nvlsChannels, q.pool) : q.nvlsChannels;
}

// CollNetDirect walks down in stages that end at 16, 8, 4, 2, 1 channels, and asks for half as much a thread from
// the middle of each stage on (2.30.7 enqueue.cc:2073-2083).
int modelOfCollNetDirect(const ChannelQuestion& q) {
  int channels = q.pool;
  uint64_t threshold = bytesPerThread(q);
  const uint64_t perChannel = maxThreads(q) * static_cast<uint64_t>(q.collNetHeads);
  for (int end = 16; end >= 1; end /= 2) {
    const auto tooMany = [&] { return q.totalBytes < static_cast<uint64_t>(channels) * perChannel * threshold; };
    while (channels > end && tooMany()) {
      if (channels == end + end / 2) threshold /= 2;
      channels--;
    }
    if (!tooMany()) break;
  }
  return channels;
}

int modelChannels(const ChannelQuestion& q) {
  if (q.algorithm == Algorithm::kCollNetDirect) return modelOfCollNetDirect(q);
  return isNvls(q) ? modelOfNvls(q) : modelOfRingAndTree(q);
}

// The scheduler's constants by version (enqueue.cc, scheduleCollTasksToPlan): traffic below which no further channel
// starts, and how LL's flags count.
struct Scheduler {
  int since;
  uint64_t minTraffic;
  uint64_t llWeight;
};
constexpr Scheduler kSchedulers[] = {{22902, 32 << 10, 4}, {22602, 16 << 10, 4}, {22304, 16 << 10, 1}};

const Scheduler* schedulerOf(int version) {
  for (const Scheduler& s : kSchedulers)
    if (version >= s.since) return &s;
  return nullptr;
}

// ncclFuncTrafficPerByte, and LL's share for its flags. Per byte of `count`, which is per rank for the gathers.
uint64_t trafficPerByte(const ChannelQuestion& q, const Scheduler& s) {
  const uint64_t ll = q.protocol == Protocol::kLl ? s.llWeight : 1;
  if (keyedPerRank(q.collective)) return ll * static_cast<uint64_t>(q.ranks);
  return q.collective == Collective::kAllReduce ? 2 * ll : ll;
}

uint64_t perRank(const ChannelQuestion& q) { return keyedPerRank(q.collective) ? static_cast<uint64_t>(q.ranks) : 1; }

// The unit that work is cut into, per rank for the gathers: at least the minimal traffic, whole 16-byte lines.
uint64_t cellBytes(const ChannelQuestion& q, const Scheduler& s) {
  return divideUp(divideUp(s.minTraffic, trafficPerByte(q, s)), 16) * 16;
}

// The share of each channel before it is cut into cells.
uint64_t trafficPerChannel(const Scheduler& s, uint64_t traffic, uint64_t limit) {
  traffic = std::max(traffic, s.minTraffic);
  if (s.since >= 22902) return divideUp(traffic / limit, 16) * 16;
  return std::max(s.minTraffic, traffic / limit);
}

int spread(const ChannelQuestion& q, const Scheduler& s, int limit, int available) {
  const uint64_t bytes = q.totalBytes / perRank(q);
  const uint64_t weight = trafficPerByte(q, s), cell = cellBytes(q, s);
  const uint64_t cells = divideUp(bytes, cell);
  if (cells == 0) return 0;
  const uint64_t share = trafficPerChannel(s, bytes * weight, static_cast<uint64_t>(limit));
  const uint64_t cellsPerChannel = std::min(cells, divideUp(share, cell * weight));
  return static_cast<int>(std::min(divideUp(cells, cellsPerChannel), static_cast<uint64_t>(available)));
}

}  // namespace

ChannelPlan planChannels(const ChannelQuestion& q) {
  ChannelPlan plan;
  plan.clamped = !scheduledAsCollNet(q);
  plan.model = modelChannels(q);
  plan.limit = q.requested > 0 ? q.requested : plan.model;
  const int available = isNvls(q) ? q.nvlsChannels : q.pool;
  if (plan.clamped) plan.limit = std::min(plan.limit, available);
  plan.running = q.totalBytes == 0 ? 0 : plan.limit;
  const Scheduler* scheduler = schedulerOf(q.version);
  if (!plan.clamped || scheduler == nullptr) return plan;
  plan.bytesPerChannel = cellBytes(q, *scheduler) * perRank(q);
  plan.running = spread(q, *scheduler, plan.limit, available);
  return plan;
}

uint64_t leastBytesFor(const ChannelQuestion& q, int channels) {
  const uint64_t cell = planChannels(q).bytesPerChannel;
  if (channels <= 1 || cell == 0) return perRank(q);
  return cell * static_cast<uint64_t>(channels - 1) + perRank(q);
}

bool channelsReachable(ChannelQuestion q, int channels, uint64_t fromBytes, uint64_t lastBytes) {
  if (lastBytes < perRank(q)) return false;
  q.requested = channels;
  q.totalBytes = lastBytes;
  const ChannelPlan plan = planChannels(q);
  if (plan.limit != channels) return false;
  if (plan.bytesPerChannel == 0) return true;
  // With k cells each, n channels run for ((n - 1) * k, n * k] cells: the least k that reaches `first` decides.
  const auto n = static_cast<uint64_t>(channels);
  const uint64_t first = divideUp(std::max(fromBytes, perRank(q)), plan.bytesPerChannel);
  const uint64_t last = divideUp(lastBytes, plan.bytesPerChannel);
  return std::max((n - 1) * divideUp(first, n) + 1, first) <= last;
}

}  // namespace polyrail::nccl
