// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/kernel/p2p.h"

#include <algorithm>
#include <thread>

#include "test/vgpu/kernel/primitives.h"

namespace polyrail::vgpu {

namespace {

constexpr size_t kNetworkChunk = size_t{1} << 30;

// One direction of a ncclDevWorkP2p; `way` is 0 for sending, 1 for receiving.
struct Transfer {
  char* address;
  size_t bytes;
  int peer;
  int parts;  // channels that share it; 0: nothing to do
  size_t chunk;
  bool ll, registered;
};

// A size in 8 bits: 3 bits of mantissa below a leading one, 5 of exponent (src/include/bitops.h).
size_t decodeSize(uint8_t code) {
  const unsigned exponent = code >> 3, mantissa = code & 7;
  return exponent == 0 ? mantissa : size_t{mantissa | 8} << (exponent - 1);
}

Transfer transferOf(const Layout& layout, const char* work, unsigned way) {
  const P2pLayout& at = layout.p2p;
  return {load<char*>(work, 8 * way),
          load<size_t>(work, 16 + 8 * way),
          load<int>(work, 32 + 4 * way),
          load<uint8_t>(work, 42 + way),
          decodeSize(load<uint8_t>(work, 44 + way)),
          loadBits(work, way ? at.receiveLl : at.sendLl) != 0,
          loadBits(work, way ? at.receiveRegistered : at.sendRegistered) != 0};
}

int reversed(int value, int bits) {
  int out = 0;
  for (int i = 0; i < bits; ++i) out |= (value >> i & 1) << (bits - 1 - i);
  return out;
}

// Which part of the work this channel has: the number of channels is a power of two.
int partOf(const ChannelView& channel, const char* work) {
  const int channels = load<uint8_t>(work, 40), base = load<uint8_t>(work, 41);
  const int distance = (channel.id - base) & (channels - 1);
  return channel.layout.p2pPartsReversed ? reversed(distance, __builtin_popcount(unsigned(channels - 1))) : distance;
}

// Cuts the transfer down to one part of it: whole multiples of 4 KiB but for the last.
bool takePart(Transfer* transfer, int part) {
  if (part >= transfer->parts) return false;
  const auto parts = static_cast<size_t>(transfer->parts);
  const size_t size = ((transfer->bytes + parts - 1) / parts + 4095) / 4096 * 4096;
  const size_t begin = std::min(static_cast<size_t>(part) * size, transfer->bytes);
  const size_t end = std::min(begin + size, transfer->bytes);
  transfer->address += begin;
  transfer->bytes = end - begin;
  return true;
}

void run(const ChannelView& channel, const Transfer& transfer, bool sends) {
  Wiring wiring;
  wiring.channel = &channel;
  if (sends) {
    wiring.senders = {channel.sender(transfer.peer, 1)};
  } else {
    wiring.receivers = {channel.receiver(transfer.peer, 1)};
  }
  wiring.registered = transfer.registered;
  wiring.pointToPoint = true;
  const size_t chunk = transfer.registered ? kNetworkChunk : transfer.chunk;
  wiring.stepCount = transfer.registered ? kNetworkChunk : static_cast<size_t>(channel.p2pChunkSize());
  const auto peers = makePrimitives(transfer.ll ? kLl : kSimple, std::move(wiring));
  size_t at = 0;
  do {  // an empty transfer is a step of nothing
    const size_t count = std::min(chunk, transfer.bytes - at);
    Step step{.count = count, .receive = !sends, .send = sends};
    (sends ? const_cast<char*&>(step.source) : step.target) = transfer.address + at;
    if (!peers->run(step)) return;
    at += count;
  } while (at < transfer.bytes);
}

}  // namespace

void runPointToPoint(const ChannelView& channel, const std::vector<const char*>& works) {
  std::vector<std::thread> threads;
  for (const char* work : works) {
    Transfer send = transferOf(channel.layout, work, 0), receive = transferOf(channel.layout, work, 1);
    const int part = partOf(channel, work);
    const bool sends = takePart(&send, part), receives = takePart(&receive, part);
    if (send.peer == channel.rank()) {
      if (sends && send.address != receive.address) memmove(receive.address, send.address, send.bytes);
      continue;
    }
    if (sends) threads.emplace_back([&channel, send] { run(channel, send, true); });
    if (receives) threads.emplace_back([&channel, receive] { run(channel, receive, false); });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace polyrail::vgpu
