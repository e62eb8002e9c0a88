// SPDX-License-Identifier: Apache-2.0
#include "net/path/path_set.h"

#include <algorithm>
#include <cstring>

namespace polyrail::net {
namespace {

// Control verbs of one step: a completion queue and a registration; or a registration, a queue pair, INIT and ECE.
constexpr int kVerbsPerStep = 4;
constexpr int kStepsPerCall = kVerbsPerCall / kVerbsPerStep;
// Of one join: RTR and RTS, between setting ECE and asking for it.
constexpr int kVerbsPerJoin = 2, kVerbsPerJoinWithEce = 4;
constexpr size_t kMailboxBytes = 4096;

bool railsFit(std::span<const PathPlan> plan, size_t local, PathSet::Side side) {
  for (const PathPlan& p : plan) {
    const size_t mine = side == PathSet::Side::kSender ? p.senderRail : p.receiverRail;
    const size_t other = side == PathSet::Side::kSender ? p.receiverRail : p.senderRail;
    if (mine >= local || other >= kMaxRails) return false;
  }
  return true;
}

}  // namespace

PathSet::PathSet(const CommOptions& options, Side side, QueueDepth depth)
    : options_(options), side_(side), depth_(depth), randomState_(options.seed) {
  for (const LocalRail& local : options_.rails) {
    rails_.emplace_back();
    rails_.back().local = local;
  }
  flowBase_ = random();
}

PathSet::~PathSet() {
  lines_.clear();
  kept_.clear();
  for (Rail& rail : rails_)
    if (rail.cq) options_.verbs->destroyCq(rail.cq);
}

// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
uint32_t PathSet::random() {
  uint64_t z = randomState_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<uint32_t>((z ^ (z >> 31)) >> 32);
}

Status PathSet::plan(std::span<const PathPlan> plan, size_t controlBytes) {
  if (plan.empty() || plan.size() > kMaxCommPaths || !railsFit(plan, rails_.size(), side_))
    return Status::error("a plan of " + std::to_string(plan.size()) + " paths does not fit " +
                         std::to_string(rails_.size()) + " rails");
  if (Status status = control_.allocate(controlBytes); !status.ok()) return status;
  for (const PathPlan& p : plan) {
    auto line = std::make_unique<Line>();
    line->localRail = side_ == Side::kSender ? p.senderRail : p.receiverRail;
    line->remoteRail = side_ == Side::kSender ? p.receiverRail : p.senderRail;
    rails_[line->localRail].paths++;
    lines_.push_back(std::move(line));
  }
  chooseCables();
  return {};
}

// The paths of a comm on one bond go to different cables, and those of the next comm begin behind them.
void PathSet::chooseCables() {
  for (size_t r = 0; r < rails_.size(); r++) {
    const Placement& p = rails_[r].local.placement;
    if (p.count < 2 || rails_[r].paths == 0) continue;
    uint32_t turn = p.slaves->takeTurns(rails_[r].paths);
    for (const auto& line : lines_)
      if (line->localRail == r) line->cable = static_cast<uint8_t>(1 + turn++ % p.count);
  }
}

// A NIC that does not place it (its bond may hash only) is no error: the path works.
void PathSet::place(Line& line) {
  const Placement& p = rails_[line.localRail].local.placement;
  if (const int error = p.place(line.path.queuePair(), line.cable)) p.slaves->failed(error);
}

Status PathSet::makeQueue(Rail& rail) {
  const uint32_t entries = roomOn(rail) * (depth_.send + depth_.receive) + extraEntries_;
  rail.cq = options_.verbs->createCq(rail.local.context, static_cast<int>(entries), nullptr, nullptr, 0);
  if (rail.cq) return {};
  return Status::error(rail.local.info.name + ": cannot make a completion queue of " + std::to_string(entries) +
                       " entries: " + std::strerror(errno) + "; raise the locked-memory limit (ulimit -l)");
}

Status PathSet::prepareRail(Rail& rail) {
  if (!rail.cq)
    if (Status status = makeQueue(rail); !status.ok()) return status;
  if (rail.control) return {};
  return rail.control.registerWith(*options_.verbs, rail.local.pd, control_, rail.local.info.name);
}

Status PathSet::prepareLine(Line& line) {
  Rail& rail = rails_[line.localRail];
  const size_t ring = side_ == Side::kSender ? sizeof(GrantRing) : 0;
  if (Status status = line.memory.allocate(ring + kMailboxBytes); !status.ok()) return status;
  Status status = line.region.registerWith(*options_.verbs, rail.local.pd, line.memory, rail.local.info.name);
  if (!status.ok()) return status;
  return line.path.create(*options_.verbs, rail.local, options_.path, rail.cq, depth_, random(), flowBase_++);
}

Result<bool> PathSet::prepare() {
  const size_t own = ownRails(), all = own + lines_.size();
  for (int i = 0; i < kStepsPerCall && prepared_ < all; i++, prepared_++) {
    const size_t n = prepared_;
    const Status status = n < own ? prepareRail(rails_[n]) : prepareLine(*lines_[n - own]);
    if (!status.ok()) return status;
  }
  return prepared_ == all;
}

Result<bool> PathSet::join(std::span<const RailInfo> remoteRails, std::span<const PathEnd> remote) {
  if (remote.size() != lines_.size())
    return Status::error("the peer speaks of " + std::to_string(remote.size()) + " paths, not of " +
                         std::to_string(lines_.size()));
  remoteRails_.assign(remoteRails.begin(), remoteRails.end());
  int left = kVerbsPerCall;
  for (; joined_ < lines_.size(); joined_++) {
    Line& line = *lines_[joined_];
    left -= line.path.ece().vendor ? kVerbsPerJoinWithEce : kVerbsPerJoin;
    if (left < 0) break;
    const PathEnd& end = remote[joined_];
    if (line.remoteRail >= remoteRails.size())
      return Status::error("the peer has no rail for a path that it planned");
    if (Status status = joinLine(line, remoteRails[line.remoteRail], end); !status.ok()) return status;
  }
  for (; joined_ == lines_.size() && placed_ < joined_; placed_++) {
    if (lines_[placed_]->cable == 0) continue;
    if (--left < 0) break;
    place(*lines_[placed_]);
  }
  return placed_ == lines_.size();
}

Status PathSet::joinLine(Line& line, const RailInfo& remote, const PathEnd& end) {
  line.remote = remote;
  line.remoteRing = end.grants;
  line.remoteMailbox = end.mailbox;
  line.remoteQueuePair = end.queuePair;
  return line.path.join(line.remote, end.queuePair, end.firstPsn, end.ece);
}

PathEnd PathSet::describe(unsigned path) const {
  const Line& line = *lines_[path];
  const bool sender = side_ == Side::kSender;
  PathEnd end;
  end.senderRail = sender ? line.localRail : line.remoteRail;
  end.receiverRail = sender ? line.remoteRail : line.localRail;
  end.queuePair = line.path.number();
  end.firstPsn = line.path.firstPsn();
  end.ece = line.path.ece();
  const uint64_t base = reinterpret_cast<uint64_t>(line.memory.data());
  if (sender) end.grants = {base, line.region.rkey()};
  end.mailbox = {base + (sender ? sizeof(GrantRing) : 0), line.region.rkey()};
  return end;
}

std::vector<PathEnd> PathSet::describe() const {
  std::vector<PathEnd> ends;
  for (unsigned p = 0; p < lines_.size(); p++) ends.push_back(describe(p));
  return ends;
}

Status PathSet::renew(unsigned path, uint16_t incarnation, int64_t until) {
  const Line& old = *lines_[path];
  Rail& rail = rails_[old.localRail];
  if (options_.refresh) {
    Result<LocalRail> now = options_.refresh(old.localRail);
    if (!now.ok()) return now.status();
    rail.local = std::move(now).value();
  }
  if (Status status = prepareRail(rail); !status.ok()) return status;
  auto line = std::make_unique<Line>();
  line->incarnation = incarnation;
  line->localRail = old.localRail;
  line->remoteRail = old.remoteRail;
  line->remote = old.remote;
  line->cable = old.cable;
  if (Status status = prepareLine(*line); !status.ok()) return status;
  std::swap(lines_[path], line);
  kept_.push_back({std::move(line), until});
  return {};
}

// The line itself waits for renew(): a queue pair of the old pair of rails may still be there.
Status PathSet::aim(unsigned path, PathPlan rails, const RailInfo& remote) {
  if (path > lines_.size() || path >= kMaxCommPaths || !railsFit({&rails, 1}, rails_.size(), side_))
    return Status::error("a path between rails that there are not");
  const uint8_t mine = side_ == Side::kSender ? rails.senderRail : rails.receiverRail;
  const uint8_t other = side_ == Side::kSender ? rails.receiverRail : rails.senderRail;
  if (other >= (options_.standby ? kMaxRails : remoteRails_.size()))
    return Status::error("a path to a rail that the peer does not have");
  uint32_t there = 0;
  for (unsigned p = 0; p < lines_.size(); p++) there += p != path && lines_[p]->localRail == mine;
  if (there >= roomOn(rails_[mine])) return Status::error("one path more than there is room for");
  if (path == lines_.size()) lines_.push_back(std::make_unique<Line>());
  Line& line = *lines_[path];
  line.localRail = mine;
  line.remoteRail = other;
  line.remote = remote;
  return {};
}

Status PathSet::joinAnew(unsigned path, const RailInfo& remote, const PathEnd& end) {
  Line& line = *lines_[path];
  Status joined = joinLine(line, remote, end);
  if (joined.ok() && line.cable && rails_[line.localRail].local.placement.count > 1) place(line);
  return joined;
}

void PathSet::sweep(int64_t now) {
  std::erase_if(kept_, [&](const Kept& k) { return k.until <= now; });
}

}  // namespace polyrail::net
