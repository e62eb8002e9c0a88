// SPDX-License-Identifier: Apache-2.0
#include "net/plugin/comm_end.h"

#include <algorithm>
#include <bit>

namespace polyrail::net {
namespace {

constexpr int64_t kPumpAgain = 5'000'000;                              // ns, while the peer does not read
constexpr int64_t kShowAgain = 100'000'000, kShowAtMost = 20'000'000;  // ns from one show to the next

}  // namespace

CommEnd::CommEnd(Library& library, Parts parts)
    : library_(library),
      parts_(std::move(parts)),
      memory_(std::make_shared<CommMemory>(parts_.rails, comm().ownRails())),
      profile_(parts_.profile, parts_.device) {
  comm().setOwner(this);
  comm().setWaker([](void* reactor) { static_cast<Reactor*>(reactor)->wake(); }, &library.reactor());
  library_.endMade();
  library_.ends().add(this);
}

Result<std::unique_ptr<CommEnd>> CommEnd::create(Library& library, Parts parts) {
  std::unique_ptr<CommEnd> end(new CommEnd(library, std::move(parts)));
  if (const Status s = library.reactor().watch(end->parts_.channel.descriptor(), end.get()); !s.ok()) return s;
  return end;
}

CommEnd::~CommEnd() {
  library_.ends().remove(this);
  library_.reactor().forget(parts_.channel.descriptor());
  endShow();
  parts_.channel.send(encodeGoodbye());
  (void)parts_.channel.pump();  // a few bytes: they go at once, or the peer is gone
  library_.endGone();
}

bool CommEnd::uses(const OpenDevice& device) const {
  return std::any_of(parts_.rails.begin(), parts_.rails.end(),
                     [&](const MemoryRail& rail) { return rail.device.get() == &device; });
}

void CommEnd::sayError() {
  if (said_) return;
  said_ = true;
  Evidence evidence = parts_.send ? parts_.send->evidence() : parts_.recv->evidence();
  evidence.peer = parts_.peer;
  library_.reports().ended(log(), std::move(evidence));
  library_.reactor().wake();  // those that follow are counted, and the count is to be said
}

void CommEnd::hear(const Message& message) {
  const int64_t now = library_.clock().nowNs();
  if (parts_.send)
    parts_.send->hear(message.frame, message.body, now);
  else
    parts_.recv->hear(message.frame, message.body, now);
}

// Not in the comm's turn: registering takes a while, and data goes on meanwhile where there is a path.
void CommEnd::extendMemory() {
  for (uint32_t rest = comm().wantsMemory(); rest; rest &= rest - 1) {
    const unsigned rail = static_cast<unsigned>(std::countr_zero(rest));
    const Status extended = memory_->extend(rail, comm().gate());
    if (parts_.send)
      parts_.send->memoryIs(rail, extended);
    else
      parts_.recv->memoryIs(rail, extended);
  }
}

// A forked child has a copy of all this, and none of the threads.
Board* CommEnd::board() const {
  Board* const board = library_.board();
  return board && board->isOurs() ? board : nullptr;
}

// With its first show, by control: who connects must not wait for the board.
void CommEnd::beginShow(int64_t now) {
  if (place_.id != 0) return;
  std::vector<std::string> rails;
  for (const LocalRail& rail : comm().localRails()) rails.push_back(rail.info.name);
  board()->open(&place_, parts_.shownPeer, rails, now);
}

int64_t CommEnd::show(int64_t now) {
  if (!board()) return kNever;
  if (now - shown_ < kShowAtMost) return shown_ + kShowAgain;
  shown_ = now;
  beginShow(now);
  parts_.send ? parts_.send->show(&view_) : parts_.recv->show(&view_);
  board()->show(&place_, view_);
  return now + kShowAgain;
}

// What it did since it was last shown counts for its rails.
void CommEnd::endShow() {
  if (!board()) return;
  shown_ = 0;
  const int64_t now = library_.clock().nowNs();
  show(now);
  board()->close(&place_, now);
}

int64_t CommEnd::serve(int64_t now) {
  const int64_t due = repair(now);
  return std::min(due, show(now));
}

int64_t CommEnd::repair(int64_t now) {
  if (!comm().repairs()) return kNever;
  const int64_t due = parts_.send ? parts_.send->serve(now) : parts_.recv->serve(now);
  extendMemory();
  for (const Comm::News& news : comm().takeNews()) {
    const std::string kind = "rail " + comm().localRails()[news.rail].info.name + " " + news.kind;
    library_.reports().railNews(log(), kind, parts_.peer, news.text);
  }
  for (const std::vector<uint8_t>& frame : comm().takeOutbox()) parts_.channel.send(frame);
  const Result<bool> sent = parts_.channel.pump();
  if (!sent.ok() || sent.value()) return due;  // a channel that is lost is told by ready()
  return std::min(due, now + kPumpAgain);
}

// Where TCP alone is cut, the rails still carry data; but nothing can be repaired any more.
void CommEnd::loseChannel(const std::string& why) {
  if (!parts_.channel.timedOut()) return comm().peerIs(Comm::Peer::kLost);
  comm().peerIs(Comm::Peer::kSilent);
  library_.reports().railNews(log(), "control channel failed", parts_.peer,
                              "the control channel failed: " + why +
                                  "; data go on over the rails, and one that fails now ends the connection");
}

void CommEnd::ready() {
  for (;;) {
    const Result<std::optional<Message>> received = parts_.channel.receive();
    if (!received.ok()) return loseChannel(received.message());
    if (!received.value()) break;
    if (received.value()->frame.type == MessageType::kGoodbye) return comm().peerIs(Comm::Peer::kLeft);
    hear(*received.value());
  }
  if (parts_.channel.ended()) comm().peerIs(Comm::Peer::kLost);
}

}  // namespace polyrail::net
