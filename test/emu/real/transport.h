// SPDX-License-Identifier: Apache-2.0
// How processes of one fabric find each other and pass packets. Each process owns a slot, claimed by binding an
// abstract socket of that number; whoever wants to send connects, hands over the memory of a ring, and from then on
// writes packets there. The kernel removes sockets and memory with the process, so that a killed one leaves nothing;
// the others see the connection end and lose the packets they still send. Slots are the upper 8 bits of queue pair
// numbers. All functions but those marked are called under the session's lock.
#pragma once

#include <poll.h>

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "common/status.h"
#include "test/emu/core/world.h"
#include "test/emu/real/ring.h"

namespace polyrail::emu {

class Transport final : public Remote {
 public:
  static constexpr uint32_t kSlots = 256;

  // `fabric` names the fabric: processes with the same name meet. Claims a slot.
  Status open(const std::string& fabric, bool alwaysCopy);
  // From now on others get through: somebody is there to answer them.
  void listen();
  // In a child after fork(): what the parent holds must end with the parent.
  void leave();
  uint32_t slot() const { return slot_; }

  // Remote:
  bool isElsewhere(uint32_t qpn) const override { return qpn >> 16 != slot_; }
  void send(Packet* packet) override;
  bool ask(const PacketHeader& question) override;
  bool fetch(const Packet& packet, const std::vector<Piece>& to) override;

  // Hands the packets that have come in to the World, and writes what found no room before.
  void receive(World* world);
  // Answers those who asked; to be called when the World has run up to `present`.
  void answer(Time present);
  void flush();
  // Whether packets wait; lock-free.
  bool pending() const;
  bool backlog() const { return backlog_ > 0; }

  // For the NIC thread: asks writers to wake it (false again: not any more), what to poll, and what came of it.
  void announceSleep(bool on);
  void collect(std::vector<pollfd>* fds) const;
  void handle(const std::vector<pollfd>& fds);

 private:
  struct Outbound {
    int fd = -1;
    Ring* ring = nullptr;
    bool copies = true;  // until the reader has said that it can read this process's memory
    int64_t retryAt = 0;
    std::deque<std::vector<uint8_t>> waiting;
    std::vector<PacketHeader> asked;  // without an answer yet
  };
  struct Inbound {
    int fd = -1;
    int pid = 0;
    Ring* ring = nullptr;
    int64_t closedAt = 0;  // its process is gone; unmapped a while later, when nobody can be looking at it
  };

  std::string address(uint32_t slot) const;
  Outbound* connectTo(uint32_t slot);
  bool handOver(int fd, Outbound* out);
  void acceptOne();
  bool acceptRing(int fd, Inbound* in);
  void close(Outbound* out);
  void drain(World* world, Inbound* in);
  bool takeQuestion(const PacketHeader& h);
  void listenTo(Outbound* out);
  void republish();
  void bury();

  std::string fabric_;
  uint32_t slot_ = 0;
  int listener_ = -1;
  bool alwaysCopy_ = false;
  uint64_t cookie_ = 0x706f6c797261696cu;  // what a reader tries to read from this process
  size_t backlog_ = 0;
  std::vector<PacketHeader> questions_, answers_;  // of others to this process; to its own, for the World
  std::array<Outbound, kSlots> out_;
  std::vector<Inbound> in_;
  std::array<std::atomic<Ring*>, kSlots> rings_{};  // of in_, for pending()
  std::vector<uint8_t> landing_;                    // where a peer's bytes wait to be put in order
};

}  // namespace polyrail::emu
