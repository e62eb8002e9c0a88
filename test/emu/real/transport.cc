// SPDX-License-Identifier: Apache-2.0
#include "test/emu/real/transport.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "test/emu/core/place.h"
#include "test/emu/real/record.h"
#include "test/emu/real/sockets.h"

namespace polyrail::emu {
namespace {

constexpr int64_t kRetryNs = 10'000'000;    // between attempts to reach a process that is not there
constexpr int64_t kBuryNs = 1'000'000'000;  // a dead peer's ring stays mapped that long

}  // namespace

std::string Transport::address(uint32_t slot) const { return "polyrail-emu-" + fabric_ + "-" + std::to_string(slot); }

Status Transport::open(const std::string& fabric, bool alwaysCopy) {
  fabric_ = fabric;
  alwaysCopy_ = alwaysCopy;
  const auto first = static_cast<uint32_t>(getpid());
  for (uint32_t i = 0; i < kSlots; i++) {
    slot_ = (first + i) % kSlots;
    listener_ = bindAbstract(address(slot_));
    if (listener_ >= 0) return Status();
  }
  return Status::error("the emulated fabric is full: " + std::to_string(kSlots) + " processes use it");
}

void Transport::listen() {
  if (!listenOn(listener_)) std::perror("polyrail-emu: listen");
}

void Transport::leave() {
  ::close(listener_);
  for (const Outbound& out : out_)
    if (out.fd >= 0) ::close(out.fd);
  for (const Inbound& in : in_)
    if (in.fd >= 0) ::close(in.fd);
}

Transport::Outbound* Transport::connectTo(uint32_t slot) {
  Outbound* out = &out_[slot];
  if (out->ring) return out;
  if (monotonicNs() < out->retryAt) return nullptr;
  out->retryAt = monotonicNs() + kRetryNs;
  const int fd = connectAbstract(address(slot));
  if (fd < 0) return nullptr;
  if (handOver(fd, out)) return out;
  ::close(fd);
  return nullptr;
}

bool Transport::handOver(int fd, Outbound* out) {
  const int memory = makeSharedMemory(Ring::size());
  if (memory < 0) return false;
  Ring* ring = Ring::map(memory);
  const Greeting greeting = {kGreetingVersion, reinterpret_cast<uint64_t>(&cookie_), cookie_};
  const bool sent = ring && sendGreeting(fd, greeting, memory);
  ::close(memory);
  if (sent) {
    out->fd = fd;
    out->ring = ring;
    out->copies = true;
  } else if (ring) {
    Ring::unmap(ring);
  }
  return sent;
}

void Transport::close(Outbound* out) {
  if (out->fd >= 0) ::close(out->fd);
  if (out->ring) Ring::unmap(out->ring);
  backlog_ -= out->waiting.size();
  answers_.insert(answers_.end(), out->asked.begin(), out->asked.end());  // nobody else will
  *out = Outbound{};
  out->retryAt = monotonicNs() + kRetryNs;
}

void Transport::send(Packet* packet) {
  Outbound* out = connectTo(packet->header.targetQpn >> 16);
  if (!out) return;  // nobody there: lost, as on a wire
  const size_t size = recordSize(*packet, out->copies);
  uint8_t* room = out->waiting.empty() ? out->ring->reserve(size) : nullptr;
  if (!room) {
    std::vector<uint8_t>& later = out->waiting.emplace_back(size);
    writeRecord(*packet, out->copies, later.data());
    backlog_++;
    return;
  }
  writeRecord(*packet, out->copies, room);
  out->ring->commit();
  if (out->ring->takeSleeper()) wakePeer(out->fd);
}

bool Transport::ask(const PacketHeader& question) {
  Outbound* out = connectTo(question.targetQpn >> 16);
  if (!out) return false;
  out->asked.push_back(question);
  Packet packet;
  packet.header = question;
  packet.header.kind = PacketKind::kAsk;
  packet.owned = true;
  send(&packet);
  return true;
}

void Transport::answer(Time present) {
  for (const PacketHeader& question : questions_) {
    Packet packet;
    packet.header = question;
    packet.header.kind = PacketKind::kAnswer;
    packet.header.targetQpn = question.sourceQpn;
    packet.header.sourceQpn = question.targetQpn;
    packet.header.arrival = present;
    packet.owned = true;
    send(&packet);
  }
  questions_.clear();
}

// Whether it was a question or an answer and no packet.
bool Transport::takeQuestion(const PacketHeader& h) {
  if (h.kind == PacketKind::kAsk) questions_.push_back(h);
  if (h.kind != PacketKind::kAnswer) return h.kind == PacketKind::kAsk;
  const auto same = [&](const PacketHeader& q) { return q.sourceUid == h.sourceUid && q.psn == h.psn; };
  if (std::erase_if(out_[h.sourceQpn >> 16].asked, same) > 0) answers_.push_back(h);
  return true;
}

void Transport::flush() {
  if (backlog_ == 0) return;
  for (Outbound& out : out_) {
    while (!out.waiting.empty()) {
      uint8_t* room = out.ring->reserve(out.waiting.front().size());
      if (!room) break;
      std::copy(out.waiting.front().begin(), out.waiting.front().end(), room);
      out.ring->commit();
      out.waiting.pop_front();
      backlog_--;
    }
    if (out.ring && out.ring->takeSleeper()) wakePeer(out.fd);
  }
}

bool Transport::fetch(const Packet& packet, const std::vector<Piece>& to) {
  std::vector<iovec> remote;
  size_t wanted = 0;
  for (const Piece& p : packet.pieces) remote.push_back({const_cast<uint8_t*>(p.address), p.length});
  for (const Piece& p : to) wanted += p.length;
  landing_.resize(std::max(landing_.size(), wanted));
  const iovec local{landing_.data(), wanted};
  if (process_vm_readv(packet.pid, &local, 1, remote.data(), remote.size(), 0) != static_cast<ssize_t>(wanted))
    return false;
  const uint8_t* from = landing_.data();
  for (const Piece& p : to) {
    copyInOrder(const_cast<uint8_t*>(p.address), from, p.length);
    from += p.length;
  }
  return true;
}

void Transport::drain(World* world, Inbound* in) {
  for (std::span<const uint8_t> record = in->ring->front(); !record.empty(); record = in->ring->front()) {
    Packet* packet = world->newPacket();
    if (readRecord(record, in->pid, packet) && !takeQuestion(packet->header))
      world->arrive(packet);
    else
      world->release(packet);
    in->ring->release();
  }
}

void Transport::receive(World* world) {
  for (Inbound& in : in_)
    if (in.ring) drain(world, &in);
  flush();
  for (const PacketHeader& h : answers_) world->answered(h);
  answers_.clear();
}

bool Transport::pending() const {
  for (const auto& slot : rings_) {
    const Ring* ring = slot.load(std::memory_order_acquire);
    if (!ring) return false;
    if (!ring->empty()) return true;
  }
  return false;
}

void Transport::announceSleep(bool on) {
  for (Inbound& in : in_)
    if (in.ring) in.ring->sleep(on);
}

void Transport::collect(std::vector<pollfd>* fds) const {
  fds->push_back({listener_, POLLIN, 0});
  for (const Outbound& out : out_)
    if (out.fd >= 0) fds->push_back({out.fd, POLLIN, 0});
  for (const Inbound& in : in_)
    if (in.fd >= 0) fds->push_back({in.fd, POLLIN, 0});
}

void Transport::handle(const std::vector<pollfd>& fds) {
  for (const pollfd& p : fds) {
    if (p.revents == 0) continue;
    if (p.fd == listener_) acceptOne();
    for (Outbound& out : out_)
      if (out.fd == p.fd) listenTo(&out);
    for (Inbound& in : in_)
      if (in.fd == p.fd && !drainWakeUps(in.fd)) {
        ::close(in.fd);
        in.fd = -1;
        in.closedAt = monotonicNs();
      }
  }
  bury();
}

// The reader's one answer: whether it can read this process's memory itself. Anything else is the end.
void Transport::listenTo(Outbound* out) {
  char answer = 0;
  const ssize_t got = ::read(out->fd, &answer, 1);
  if (got < 0 && errno == EAGAIN) return;
  if (got != 1) return close(out);
  out->copies = answer != kReadsMemory;
}

void Transport::acceptOne() {
  const int fd = acceptAbstract(listener_);
  if (fd < 0) return;
  Inbound in;
  in.fd = fd;
  if (!acceptRing(fd, &in)) {
    ::close(fd);
    return;
  }
  in_.push_back(in);
  republish();
}

bool Transport::acceptRing(int fd, Inbound* in) {
  Greeting greeting;
  const int memory = receiveGreeting(fd, &greeting, &in->pid);
  if (memory < 0) return false;
  if (greeting.version == kGreetingVersion) in->ring = Ring::map(memory);
  ::close(memory);
  if (!in->ring) return false;
  uint64_t seen = 0;
  iovec local = {&seen, sizeof seen}, remote = {reinterpret_cast<void*>(greeting.cookieAddress), sizeof seen};
  const bool reads =
      !alwaysCopy_ && process_vm_readv(in->pid, &local, 1, &remote, 1, 0) == sizeof seen && seen == greeting.cookie;
  const char answer = reads ? kReadsMemory : kWantsCopies;
  if (!reads)
    std::fprintf(stderr, "polyrail-emu: cannot read the memory of process %d (%s): its data is copied twice\n",
                 in->pid, alwaysCopy_ ? "EMU_COPY is set" : "the kernel refuses process_vm_readv");
  return ::write(fd, &answer, 1) == 1;
}

void Transport::bury() {
  const int64_t now = monotonicNs();
  const auto gone = [now](Inbound& in) {
    if (in.closedAt == 0 || now < in.closedAt + kBuryNs || !in.ring->empty()) return false;
    Ring::unmap(in.ring);
    return true;
  };
  // Taken off the list of pending() first; nobody looks at it for longer than a moment.
  if (std::none_of(in_.begin(), in_.end(), [](const Inbound& in) { return in.closedAt > 0; })) return;
  republish();
  std::erase_if(in_, gone);
}

void Transport::republish() {
  size_t count = 0;
  for (const Inbound& in : in_)
    if (in.closedAt == 0 && count < rings_.size()) rings_[count++].store(in.ring, std::memory_order_release);
  for (; count < rings_.size(); count++) rings_[count].store(nullptr, std::memory_order_release);
}

}  // namespace polyrail::emu
