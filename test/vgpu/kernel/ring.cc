// SPDX-License-Identifier: Apache-2.0
// The five collectives on a ring (src/device/all_reduce.h and its neighbours): which piece a rank handles at which
// turn.
#include <algorithm>

#include "test/vgpu/kernel/collective.h"

namespace polyrail::vgpu {

namespace {

constexpr size_t kNetworkChunk = size_t{1} << 30;  // NCCL_MAX_NET_SIZE: what the NIC takes at once

// A ring's state while a collective runs; each `do` is false when the communicator was aborted.
class Ring {
 public:
  Ring(const ChannelView& channel, const Function& function, const Work& work)
      : channel_(channel), work_(work), element_(sizeOf(function.type)), offload_(offloads(function, work)) {
    Wiring wiring;
    wiring.channel = &channel;
    wiring.receivers = {channel.receiver(channel.ringPrevious(), 0)};
    wiring.senders = {channel.sender(channel.ringNext(), 0)};
    wiring.reduction = work.reduction;
    wiring.reduction.type = function.type;
    wiring.registered = work.registered && (function.collective == kAllGather || function.collective == kBroadcast);
    const bool small = function.collective == kBroadcast || function.collective == kReduce || offload_;
    wiring.slicing = small ? Slicing{1, 1} : Slicing{2, 2};
    if (offload_ && function.collective == kAllGather) wiring.stepCount = kNetworkChunk;
    peers_ = makePrimitives(function.protocol, std::move(wiring));
  }

  void run(int collective) {
    if (collective == kAllReduce) return allReduce();
    const size_t chunk = collective == kAllGather && offload_ ? kNetworkChunk : work_.chunk;
    for (size_t at = 0; at < work_.count; at += chunk) {
      if (!turn(collective, work_.offset + at, std::min(chunk, work_.count - at))) return;
    }
    if (offload_) copyOwnPart(collective);
  }

 private:
  // With one rank on a node and registered buffers, the NIC moves AllGather and Broadcast alone.
  static bool offloads(const Function& function, const Work& work) {
    return work.registered && work.oneRankPerNode &&
           (function.collective == kBroadcast || (function.collective == kAllGather && function.protocol == kSimple));
  }

  const char* input(size_t index) const { return work_.input + index * element_; }
  char* output(size_t index) const { return work_.output + index * element_; }

  bool send(const char* from, size_t count, bool isInput) {
    return peers_->run({.count = count, .source = from, .sourceIsInput = isInput, .send = true});
  }
  bool copySend(size_t from, size_t to, size_t count) {
    return peers_->run(
        {.count = count, .source = input(from), .sourceIsInput = true, .target = output(to), .send = true});
  }
  bool reduceSend(size_t from, size_t count) {
    return peers_->run({.count = count, .source = input(from), .sourceIsInput = true, .receive = true, .send = true});
  }
  bool reduceStore(size_t from, size_t to, size_t count, bool send) {
    return peers_->run({.count = count,
                        .source = input(from),
                        .sourceIsInput = true,
                        .target = output(to),
                        .receive = true,
                        .send = send,
                        .finish = true});
  }
  bool store(size_t to, size_t count, bool send) {
    return peers_->run(
        {.count = count, .target = output(to), .registered = output(to), .receive = true, .send = send});
  }

  void allReduce() {
    const auto ranks = static_cast<size_t>(channel_.ranks());
    const size_t loop = ranks * work_.chunk;
    size_t chunk = work_.chunk;
    for (size_t at = 0; at < work_.count; at += loop) {
      const size_t rest = work_.count - at, grain = 16 / element_;
      if (rest < loop) chunk = ((rest + ranks - 1) / ranks + grain - 1) / grain * grain;
      if (!allReduceLoop(work_.offset + at, rest, chunk)) return;
    }
  }

  bool allReduceLoop(size_t base, size_t rest, size_t chunk) {
    const int ranks = channel_.ranks();
    const auto piece = [&](int turn) {
      return static_cast<size_t>((channel_.ringIndex() + 2 * ranks - turn) % ranks) * chunk;
    };
    const auto size = [&](size_t at) { return at < rest ? std::min(chunk, rest - at) : 0; };
    size_t at = piece(1);
    if (!send(input(base + at), size(at), true)) return false;
    for (int turn = 2; turn < ranks; ++turn) {
      at = piece(turn);
      if (!reduceSend(base + at, size(at))) return false;
    }
    at = piece(0);
    if (!reduceStore(base + at, base + at, size(at), true)) return false;
    for (int turn = 1; turn < ranks - 1; ++turn) {
      at = piece(turn);
      if (!store(base + at, size(at), true)) return false;
    }
    at = piece(ranks - 1);
    return store(base + at, size(at), false);
  }

  bool turn(int collective, size_t at, size_t count) {
    switch (collective) {
      case kAllGather: return gather(at, count);
      case kReduceScatter: return scatter(at, count);
      case kBroadcast: return broadcast(at, count);
      default: return reduceToRoot(at, count);
    }
  }

  size_t place(int distance, size_t at) const {
    return static_cast<size_t>(channel_.ringRank(distance)) * work_.total + at;
  }

  bool gather(size_t at, size_t count) {
    const int ranks = channel_.ranks();
    const bool inPlace = input(at) == output(place(0, at)) || offload_;
    if (!(inPlace ? send(input(at), count, false) : copySend(at, place(0, at), count))) return false;
    for (int turn = 1; turn < ranks - 1; ++turn) {
      if (!store(place(ranks - turn, at), count, true)) return false;
    }
    return store(place(1, at), count, false);
  }

  bool scatter(size_t at, size_t count) {
    const int ranks = channel_.ranks();
    if (!send(input(place(ranks - 1, at)), count, true)) return false;
    for (int turn = 2; turn < ranks; ++turn) {
      if (!reduceSend(place(ranks - turn, at), count)) return false;
    }
    return reduceStore(place(0, at), at, count, false);
  }

  bool broadcast(size_t at, size_t count) {
    if (channel_.rank() == work_.root) {
      const bool inPlace = work_.input == work_.output || offload_;
      return inPlace ? send(input(at), count, false) : copySend(at, at, count);
    }
    return store(at, count, channel_.ringNext() != work_.root);
  }

  bool reduceToRoot(size_t at, size_t count) {
    if (channel_.ringPrevious() == work_.root) return send(input(at), count, true);
    if (channel_.rank() == work_.root) return reduceStore(at, at, count, false);
    return reduceSend(at, count);
  }

  // What the kernel's other threads do while the NIC works.
  void copyOwnPart(int collective) {
    if (collective == kBroadcast && channel_.rank() != work_.root) return;
    char* to = output(collective == kAllGather ? place(0, work_.offset) : work_.offset);
    if (to != input(work_.offset)) memmove(to, input(work_.offset), work_.count * element_);
  }

  const ChannelView& channel_;
  const Work& work_;
  const size_t element_;
  const bool offload_;
  std::unique_ptr<Primitives> peers_;
};

}  // namespace

void runRing(const ChannelView& channel, const Function& function, const Work& work) {
  Ring(channel, function, work).run(function.collective);
}

}  // namespace polyrail::vgpu
