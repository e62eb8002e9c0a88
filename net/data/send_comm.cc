// SPDX-License-Identifier: Apache-2.0
#include "net/data/send_comm.h"

#include <algorithm>
#include <climits>

namespace polyrail::net {
namespace {

// Room for 42 chunks in their longest form: WRITE, size record, empty WRITE WITH IMM.
constexpr uint32_t kSendDepth = 128;
constexpr uint32_t kLongestForm = 3;

double nominalRate(const RailInfo& local, const RailInfo& remote) {
  const uint32_t mbps = std::min(local.speedMbps, remote.speedMbps);
  return (mbps ? mbps : 1000) / 8000.0;  // bytes a ns
}

}  // namespace

SendComm::SendComm(const CommOptions& options) : Comm(options, PathSet::Side::kSender, {kSendDepth, 1}) {}

Status SendComm::plan(std::span<const PathPlan> plan) {
  entries_ = std::make_unique<Entry[]>(size_t{kSlots} * kGroup);
  for (unsigned i = 0; i < kSlots * kGroup; i++) {
    entries_[i].kind = Request::Kind::kSend;
    entries_[i].comm = this;
    entries_[i].request = static_cast<uint8_t>(i % kGroup);
  }
  return set_.plan(plan, sizeof(SizeRecords));
}

Result<bool> SendComm::join(std::span<const RailInfo> rails, std::span<const PathEnd> paths) {
  Result<bool> joined = set_.join(rails, paths);
  if (!joined.ok() || !joined.value()) return joined;
  std::array<double, kMaxCommPaths> nominal{};
  for (unsigned p = 0; p < paths.size(); p++) {
    PathSet::Line& line = *set_.lines()[p];
    const uint32_t sharers = set_.rails()[line.localRail].paths;
    nominal[p] = nominalRate(localRails()[line.localRail].info, line.remote) / sharers;
    paths_[p].posted = static_cast<uint16_t>(paths[p].postedReceives);
    paths_[p].queueFree = kSendDepth;
    refreshEligible(p);
  }
  scheduler_.start({nominal.data(), paths.size()});
  return joined;
}

void SendComm::refreshEligible(unsigned path) {
  const PathState& s = paths_[path];
  const bool eligible = s.posted != s.sent && s.queueFree >= kLongestForm;
  eligible_ = (eligible_ & ~(1u << path)) | (eligible ? 1u << path : 0u);
}

Outcome SendComm::isend(const void* data, size_t size, int tag, const MemoryKeys& keys, Request** request) {
  *request = nullptr;
  if (failed() || !open_) return outcome_;
  Entry* entry = match(tag);
  if (!entry) return outcome_;
  if (size > entry->grant.capacity) {
    refuse(*entry, size);
    return outcome_;
  }
  begin(*entry, data, size, keys);
  pump();
  *request = entry;
  return outcome_;
}

Outcome SendComm::test(Request& request, int* done, int* sizes) {
  Entry& entry = static_cast<Entry&>(request);
  *done = 0;
  if (entry.left > 0) {
    if (failed()) return outcome_;
    progress();
    if (entry.left > 0) return outcome_;
  }
  *done = 1;
  if (sizes) *sizes = static_cast<int>(std::min<uint64_t>(entry.size, INT_MAX));
  slots_[entry.slot % kSlots].inUse &= static_cast<uint8_t>(~(1u << entry.request));
  return Outcome::kOk;
}

void SendComm::progress() {
  if (scheduler_.paths() > 1 && backlog_ + static_cast<uint64_t>(scheduler_.load(0).inFlight()) >= kMeasured)
    now_ = set_.options().clock->nowNs();
  pollRails(*this);
  if (pendingHead_) pump();
}

void SendComm::complete(const ibv_wc& wc) {
  const WorkId id{wc.wr_id};
  const unsigned path = id.path();
  PathSet::Line& line = *set_.lines()[path];
  if (id.incarnation() != line.incarnation) return;
  if (wc.status != IBV_WC_SUCCESS) {
    failCompletion(wc, line);
    return;
  }
  Entry& entry = entries_[id.a()];
  const uint64_t length = lengthOf(entry, id.b());
  entry.left--;
  paths_[path].queueFree = static_cast<uint16_t>(paths_[path].queueFree + id.retires());
  refreshEligible(path);
  scheduler_.complete(path, length, measures(length) ? now_ : 0, backlog_ > 0);
}

}  // namespace polyrail::net
