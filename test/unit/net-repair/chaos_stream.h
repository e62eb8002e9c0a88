// SPDX-License-Identifier: Apache-2.0
// The messages of one comm in a run of chaos: buffers with guards between them, requests and what must arrive. Their
// sizes and bytes are the seed's. Receives that are not under way are sealed: a write into them is a violation.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "test/unit/net-data/rig.h"
#include "test/unit/net-repair/chaos_faults.h"

namespace polyrail::net {

class ChaosStream {
 public:
  // On the comm's rails, which begin with `nic`; `own`: those on which memory is registered from the start.
  ChaosStream(Rig& rig, CommPair& pair, const ChaosOptions& options, unsigned nic, uint16_t own)
      : rig_(rig),
        pair_(pair),
        options_(options),
        out_(kPlace * kSlotsUsed),
        in_(kPlace * kSlotsUsed),
        pattern_(2 * kMost) {
    for (size_t i = 0; i < pattern_.size(); i++) pattern_[i] = static_cast<char>(i * 2654435761u >> 11);
    outKeys_ = rig.keys(true, out_.data(), out_.size());
    inKeys_ = rig.keys(false, in_.data(), in_.size());
    for (const bool sender : {true, false}) turnTo(keys(sender), nic, rig.rails(sender).size(), own);
    for (unsigned i = 0; i < kSlotsUsed; i++) memory().seal(in_.data() + i * kPlace, kPlace);
  }
  bool turn() {
    const bool received = receive();
    return send() || received;
  }
  bool finished() const { return received_ == options_.messages; }
  // Receives from this message on are not posted yet.
  void pauseAt(uint64_t message) { pause_ = message; }
  MemoryKeys& keys(bool sender) { return sender ? outKeys_ : inKeys_; }
  bool bothFailed() const { return !pair_.send->error().empty() && !pair_.recv->error().empty(); }
  uint64_t received() const { return received_; }
  const std::string& wrong() const { return wrong_; }

 private:
  static constexpr size_t kMost = 1 << 20, kGuard = 4096, kPlace = kMost + kGuard;
  static constexpr unsigned kSlotsUsed = 8;

  static void turnTo(MemoryKeys& keys, unsigned nic, size_t rails, uint16_t own) {
    for (auto* list : {&keys.lkey, &keys.rkey})
      std::rotate(list->begin(), list->begin() + nic, list->begin() + static_cast<long>(rails));
    keys.rails = own;
  }
  emu::Memory& memory() { return rig_.sim().world().memory(); }
  // Many small ones, some long, a few empty.
  size_t sizeOf(uint64_t number) const {
    ChaosRandom random(options_.seed * 1'000'003 + number);
    const int64_t kind = random.between(0, 99);
    if (kind < 3) return 0;
    return static_cast<size_t>(random.between(1, kind < 60   ? 8'192
                                                 : kind < 90 ? 200'000
                                                             : static_cast<int64_t>(kMost)));
  }
  const char* expected(uint64_t number) const { return pattern_.data() + number * 131 % kMost; }
  char* place(std::vector<char>& buffer, uint64_t number) { return buffer.data() + number % kSlotsUsed * kPlace; }

  bool done(Request*& request, uint64_t number) {
    int isDone = 0, size = -1;
    if (!request || test(request, &isDone, &size) != Outcome::kOk || !isDone) return false;
    request = nullptr;
    if (static_cast<size_t>(size) != sizeOf(number))
      wrong_ = "message " + std::to_string(number) + " has another size";
    return true;
  }

  bool send() {
    bool any = false;
    rig_.on(true);
    while (sendDone_ < sent_ && done(sends_[sendDone_ % kSlotsUsed], sendDone_)) sendDone_++, any = true;
    while (sent_ < granted_ && sent_ < sendDone_ + kSlotsUsed) {
      std::memcpy(place(out_, sent_), expected(sent_), sizeOf(sent_));
      Request*& request = sends_[sent_ % kSlotsUsed];
      (void)pair_.send->isend(place(out_, sent_), sizeOf(sent_), 7, outKeys_, &request);
      if (!request) break;
      sent_++;
      any = true;
    }
    return any;
  }

  bool receive() {
    bool any = false;
    rig_.on(false);
    while (received_ < granted_ && done(receives_[received_ % kSlotsUsed], received_)) {
      char* at = place(in_, received_);
      memory().seal(at, kMost);
      if (std::memcmp(at, expected(received_), sizeOf(received_)) != 0)
        wrong_ = "message " + std::to_string(received_) + " has other bytes than were sent";
      std::memset(at, 0, kMost / 64);
      received_++;
      any = true;
    }
    while (granted_ < std::min(options_.messages, pause_) && granted_ < received_ + kSlotsUsed) {
      void* data = place(in_, granted_);
      const size_t capacity = kMost;
      const int tag = 7;
      const MemoryKeys* keys = &inKeys_;
      Request*& request = receives_[granted_ % kSlotsUsed];
      open(data);
      (void)pair_.recv->irecv(1, &data, &capacity, &tag, &keys, &request);
      if (!request) {
        memory().seal(data, kMost);
        break;
      }
      granted_++;
      any = true;
    }
    return any;
  }
  // The guard behind the place stays sealed.
  void open(void* data) {
    if (!opened_[(static_cast<char*>(data) - in_.data()) / kPlace]) {
      opened_[(static_cast<char*>(data) - in_.data()) / kPlace] = true;
      memory().unseal(data, kPlace);
      memory().seal(static_cast<char*>(data) + kMost, kGuard);
    } else {
      memory().unseal(data, kMost);
    }
  }

  Rig& rig_;
  CommPair& pair_;
  const ChaosOptions options_;
  std::vector<char> out_, in_, pattern_;
  MemoryKeys outKeys_, inKeys_;
  std::array<Request*, kSlotsUsed> sends_{}, receives_{};
  std::array<bool, kSlotsUsed> opened_{};
  uint64_t sent_ = 0, sendDone_ = 0, granted_ = 0, received_ = 0, pause_ = UINT64_MAX;
  std::string wrong_;
};

}  // namespace polyrail::net
