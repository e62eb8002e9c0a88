// SPDX-License-Identifier: Apache-2.0
#include "test/unit/net-repair/chaos.h"

#include <cstring>

#include "test/unit/net-repair/chaos_faults.h"
#include "test/unit/net-repair/control.h"

namespace polyrail::net {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr double kGbps = 0.6;  // so that few messages last as long as the faults
constexpr size_t kMost = 1 << 20, kGuard = 4096, kPlace = kMost + kGuard;
constexpr unsigned kSlotsUsed = 8;

// Buffers, requests and expectations of a stream of messages whose sizes the seed says.
class Stream {
 public:
  Stream(Rig& rig, CommPair& pair, const ChaosOptions& options)
      : rig_(rig),
        pair_(pair),
        options_(options),
        out_(kPlace * kSlotsUsed),
        in_(kPlace * kSlotsUsed),
        pattern_(2 * kMost) {
    for (size_t i = 0; i < pattern_.size(); i++) pattern_[i] = static_cast<char>(i * 2654435761u >> 11);
    outKeys_ = rig.keys(true, out_.data(), out_.size());
    inKeys_ = rig.keys(false, in_.data(), in_.size());
    for (unsigned i = 0; i < kSlotsUsed; i++) memory().seal(in_.data() + i * kPlace, kPlace);
  }
  bool turn() {
    const bool received = receive();
    return send() || received;
  }
  bool finished() const { return received_ == options_.messages; }
  bool bothFailed() const { return !pair_.send->error().empty() && !pair_.recv->error().empty(); }
  uint64_t received() const { return received_; }
  const std::string& wrong() const { return wrong_; }

 private:
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
    while (granted_ < options_.messages && granted_ < received_ + kSlotsUsed) {
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
  uint64_t sent_ = 0, sendDone_ = 0, granted_ = 0, received_ = 0;
  std::string wrong_;
};

ChaosShape drawShape(ChaosRandom& random) {
  ChaosShape shape;
  shape.senders = static_cast<size_t>(random.between(2, 8));
  shape.receivers = random.chance(60) ? shape.senders : static_cast<size_t>(random.between(2, 8));
  const size_t paths = std::max(shape.senders, shape.receivers);
  const size_t spared = static_cast<size_t>(random.between(0, static_cast<int64_t>(paths) - 1));
  shape.spareSender = spared % shape.senders;
  shape.spareReceiver = spared % shape.receivers;
  if (random.chance(40)) shape.spareReceiver = (spared + 1) % shape.receivers;  // no path of the plan is spared
  return shape;
}

RigOptions rigOptions(ChaosRandom& random, const ChaosShape& shape, bool spare) {
  RigOptions o;
  o.senderGbps.assign(shape.senders, kGbps);
  o.receiverGbps.assign(shape.receivers, kGbps);
  o.latencyNs = random.between(1'000, 20'000);
  o.segment = 16 << 10;
  o.faults = faultList(drawFaults(random, shape, spare));
  return o;
}

CommOptions commOptions(Rig& rig, bool sender, const ChaosOptions& options) {
  CommOptions o = repairOptions(rig, sender);
  o.path.timeout = 12;  // 17 ms
  o.times = {.watchdog = 30 * kMs, .noPath = options.spare ? 5'000 * kMs : 400 * kMs, .packetLifetime = 100 * kMs};
  o.unfenced = options.unfenced;
  return o;
}

}  // namespace

ChaosResult runChaos(const ChaosOptions& options) {
  ChaosRandom random(options.seed);
  const ChaosShape shape = drawShape(random);
  Rig rig(rigOptions(random, shape, options.spare));
  rig.seed = options.seed;
  const std::string before = rig.sim().world().census.text();
  ChaosResult result;
  {
    CommPair pair(rig, commOptions(rig, true, options), commOptions(rig, false, options));
    result.error = pair.status.message();
    Stream stream(rig, pair, options);
    Control control(rig, pair);
    const auto over = [&] { return stream.finished() || stream.bothFailed() || !stream.wrong().empty(); };
    if (pair.status.ok())
      rig.sim().until(
          over,
          [&] {
            const bool moved = stream.turn();
            return control.turn() || moved;
          },
          20'000 * kMs);
    rig.sim().run(60 * kMs);  // what is late still lands
    result.ended = stream.finished() || stream.bothFailed();
    result.received = stream.received();
    result.wrong = stream.wrong();
    result.fences = control.messages(MessageType::kFenced);
    result.revivals = control.messages(MessageType::kLive);
    for (const std::string* s : {&pair.send->error(), &pair.recv->error(), &stream.wrong()})
      if (result.error.empty()) result.error = *s;
    pair.close();
  }
  rig.dropRegions();
  if (const std::string after = rig.sim().world().census.text(); after != before) result.left = after;
  result.violations = rig.sim().world().memory().violations().size();
  return result;
}

}  // namespace polyrail::net
