// SPDX-License-Identifier: Apache-2.0
#include "net/telemetry/board.h"

#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "net/telemetry/names.h"

namespace polyrail::net {

Board::Board(std::unique_ptr<MappedFile> file, const TelemetryHeader& header, std::vector<RailRecord> rails)
    : file_(std::move(file)), header_(header), rails_(std::move(rails)) {
  if (rails_.size() > kRailRecords) rails_.resize(kRailRecords);
  seen_.resize(rails_.size());
  header_.railsUsed = static_cast<uint32_t>(rails_.size());
  if (file_ && !file_->reserve(kRailOffset, rails_.size() * sizeof(RailRecord))) header_.railsUsed = 0;
  storeRails(header.startTime);
}

void Board::open(Place* place, Peer peer, const std::vector<std::string>& railNames, int64_t now) {
  const std::lock_guard lock(mutex_);
  place->peer = std::move(peer);
  place->opened = now;
  place->id = ++header_.commsOpened;
  for (const std::string& name : railNames) {
    const auto found =
        std::find_if(rails_.begin(), rails_.end(), [&](const RailRecord& r) { return textIn(r.name) == name; });
    place->rails.push_back(found == rails_.end() ? kNoRail : static_cast<uint32_t>(found - rails_.begin()));
  }
  places_.push_back(place);
}

// The first that is free and that there is space for.
uint32_t Board::take(std::vector<bool>* used, uint64_t offset, size_t bytes, uint32_t* everUsed) {
  const uint32_t n = static_cast<uint32_t>(std::find(used->begin(), used->end(), false) - used->begin());
  if (n == used->size() || !file_ || !file_->reserve(offset + n * bytes, bytes)) return kNone;
  (*used)[n] = true;
  *everUsed = std::max(*everUsed, n + 1);
  return n;
}

// A comm without a record has none for its paths either: nobody could tell whose they are.
void Board::takeRecords(Place* place) {
  const size_t paths = place->view.paths.size();
  if (place->summed.empty() && paths > 0) {
    place->record = take(&commsUsed_, kCommOffset, sizeof(CommRecord), &header_.commsUsed);
    if (place->record == kNone) header_.commsWithoutRecord++;
  }
  while (place->summed.size() < paths) {
    const bool may = place->record != kNone;
    place->records.push_back(may ? take(&pathsUsed_, kPathOffset, sizeof(PathRecord), &header_.pathsUsed) : kNone);
    if (place->records.back() == kNone) header_.pathsWithoutRecord++;
    place->summed.emplace_back();
    place->atLastTurn.push_back(0);
  }
}

void Board::show(Place* place, const CommView& view) {
  const std::lock_guard lock(mutex_);
  place->view = view;
  takeRecords(place);
  CommRecord& comm = place->view.comm;
  comm.id = place->id;
  comm.device = place->peer.device;
  comm.peerProcess = place->peer.process;
  comm.opened = place->opened;
  putText(comm.peerHost, place->peer.host);
  putText(comm.peerAddress, place->peer.address);
  // NCCL tags a send with its own rank (src/transport/net.cc, 2.30.7).
  if (comm.kind == CommKind::kSend && comm.hasTag) header_.rank = comm.tag;
  for (unsigned p = 0; p < place->view.paths.size(); p++) {
    sum(place, p);
    storePath(*place, p);
  }
  storeComm(*place);
  if (file_) file_->store(0, header_);  // which records are in use
}

void Board::sum(Place* place, unsigned path) {
  const PathRecord& now = place->view.paths[path];
  PathRecord& before = place->summed[path];
  const uint32_t rail = now.rail < place->rails.size() ? place->rails[now.rail] : kNoRail;
  if (rail != kNoRail) {
    RailRecord& r = rails_[rail];
    const bool sends = place->view.comm.kind == CommKind::kSend;
    (sends ? r.bytesSent : r.bytesReceived) += now.bytes - before.bytes;
    (sends ? r.chunksSent : r.chunksReceived) += now.chunks - before.chunks;
    if (now.failures != before.failures) {
      r.lastFailure = now.changed;
      putText(r.lastCause, textIn(now.lastCause));
    }
    r.failures += now.failures - before.failures;
    r.revivals += now.revivals - before.revivals;
    r.stuck += now.stuck - before.stuck;
    for (size_t b = 0; b < r.latency.size(); b++) r.latency[b] += now.latency[b] - before.latency[b];
  }
  before = now;
}

void Board::storePath(const Place& place, unsigned path) {
  if (place.records[path] == kNone) return;
  PathRecord record = place.view.paths[path];
  record.comm = place.id;
  record.rail = record.rail < place.rails.size() ? place.rails[record.rail] : kNoRail;
  file_->store(kPathOffset + place.records[path] * sizeof(PathRecord), record);
}

void Board::storeComm(const Place& place) {
  if (place.record != kNone) file_->store(kCommOffset + place.record * sizeof(CommRecord), place.view.comm);
}

void Board::giveBack(Place* place) {
  for (const uint32_t record : place->records) {
    if (record == kNone) continue;
    file_->store(kPathOffset + record * sizeof(PathRecord), PathRecord{});
    pathsUsed_[record] = false;
  }
  if (place->record == kNone) return;
  file_->store(kCommOffset + place->record * sizeof(CommRecord), CommRecord{});
  commsUsed_[place->record] = false;
}

void Board::close(Place* place, int64_t now) {
  const std::lock_guard lock(mutex_);
  giveBack(place);
  std::erase(places_, place);
  if (!places_.empty()) return;  // the next turn shows it; without comms there may be none
  for (RailRecord& r : rails_) r.sentPerSecond = r.receivedPerSecond = r.serviceRate = 0;
  storeRails(now);
}

void Board::setRail(uint32_t rail, RailState state, uint64_t downs, uint64_t ups) {
  const std::lock_guard lock(mutex_);
  if (rail >= rails_.size()) return;
  rails_[rail].state = state;
  rails_[rail].portDowns = downs;
  rails_[rail].portUps = ups;
}

void Board::setSlow(uint32_t rail, bool slow) {
  const std::lock_guard lock(mutex_);
  if (rail < rails_.size()) rails_[rail].slow = slow;
}

void Board::storeRails(int64_t now) {
  for (RailRecord& r : rails_) r.paths = r.livePaths = 0;
  for (const Place* place : places_)
    for (const PathRecord& p : place->view.paths) {
      const uint32_t rail = p.rail < place->rails.size() ? place->rails[p.rail] : kNoRail;
      if (rail == kNoRail) continue;
      rails_[rail].paths++;
      rails_[rail].livePaths += p.phase == PathPhase::kLive;
    }
  header_.updatedTime = now;
  if (!file_) return;
  for (uint32_t i = 0; i < header_.railsUsed; i++) file_->store(kRailOffset + i * sizeof(RailRecord), rails_[i]);
  file_->store(0, header_);
}

bool Board::isOurs() const { return header_.process == static_cast<uint32_t>(getpid()); }

void Board::end() {
  const std::lock_guard lock(mutex_);
  if (file_) file_->remove();
}

TelemetryHeader Board::header() const {
  const std::lock_guard lock(mutex_);
  return header_;
}

std::vector<RailRecord> Board::rails() const {
  const std::lock_guard lock(mutex_);
  return rails_;
}

}  // namespace polyrail::net
