// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/pair_traffic.h"

#include <fmt/format.h>

#include <thread>

#include "test/contract/host/payload.h"

namespace polyrail::contract {

PairTraffic::PairTraffic(NetPair& pair, Place place, size_t capacity)
    : pair_(pair),
      from_(pair.calls(), pair.send(), place, capacity),
      to_(pair.calls(), pair.recv(), place, capacity) {
  if (!good()) pair.faults().add("registering a buffer failed");
}

nccl::Result PairTraffic::send(size_t size, int tag, void** request) {
  return pair_.calls().isend(pair_.send(), from_.data(), size, tag, from_.mhandle(), nullptr, request);
}

nccl::Result PairTraffic::receive(size_t capacity, int tag, void** request) {
  void* data = to_.data();
  void* mhandle = to_.mhandle();
  return pair_.calls().irecv(pair_.recv(), 1, &data, &capacity, &tag, &mhandle, nullptr, request);
}

bool PairTraffic::test(void*& request, bool& done, const char* which) {
  if (request == nullptr || done) return true;
  int now = 0;
  const nccl::Result result = pair_.calls().test(request, &now, nullptr);
  if (result != nccl::Result::kSuccess)
    pair_.faults().add(fmt::format("test of a {} returned {}", which, static_cast<int>(result)));
  done = now;
  return result == nccl::Result::kSuccess;
}

bool PairTraffic::turn(size_t size, int tag) {
  if (!receiving_ && receive(to_.size(), tag, &receiving_) != nccl::Result::kSuccess)
    return pair_.faults().add("irecv failed"), false;
  if (!sending_ && send(size, tag, &sending_) != nccl::Result::kSuccess)
    return pair_.faults().add("isend failed"), false;
  return test(sending_, sent_, "send") && test(receiving_, received_, "receive");
}

bool PairTraffic::exchange(size_t size, int tag, std::chrono::milliseconds patience) {
  if (!good()) return false;
  fillPayload(from_.data(), size, ++messages_);
  poison(to_.data(), to_.size());
  sending_ = receiving_ = nullptr;
  sent_ = received_ = false;
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!sent_ || !received_) {
    if (!turn(size, tag)) return false;
    std::this_thread::yield();
    if (std::chrono::steady_clock::now() < end) continue;
    pair_.faults().add("a message to oneself did not arrive in time");
    return false;
  }
  const bool whole = firstWrongByte(to_.data(), size, messages_) == size;
  if (!whole) pair_.faults().add(fmt::format("a message of {} bytes to oneself is wrong", size));
  return whole;
}

void PairTraffic::deregister() {
  if (!from_.guardsIntact() || !to_.guardsIntact()) pair_.faults().add("wrote outside a buffer");
  if (!from_.deregister() || !to_.deregister()) pair_.faults().add("deregMr failed");
}

}  // namespace polyrail::contract
