// SPDX-License-Identifier: Apache-2.0
// SIMPLE: a ring of eight steps. The sender waits for room (head), fills a slice, says its size to the proxy if there
// is one, and posts the tail; the receiver waits for the tail and posts the head. Empty slices are posted too: the
// proxies count steps. With buffers that the NIC reaches itself nothing is copied through the ring, only counted.
#include "test/vgpu/kernel/simple.h"

#include <algorithm>

#include "test/vgpu/kernel/wait.h"

namespace polyrail::vgpu {

namespace {

constexpr int kNicReachesUser = 4;  // NCCL_DIRECT_NIC

uint64_t roundUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

Simple::Simple(Wiring wiring) : Primitives(std::move(wiring)) {
  if (wiring_.stepCount == 0) {
    wiring_.stepCount = static_cast<size_t>(wiring_.channel->bufferSize(kSimple)) / 8 / element_;
  }
  for (const Connection& connection : wiring_.receivers) openReceiver(connection);
  for (const Connection& connection : wiring_.senders) openSender(connection);
}

Simple::End Simple::makeEnd(const Connection& connection) const {
  const auto unit = static_cast<uint64_t>(wiring_.slicing.slices * wiring_.slicing.steps);
  const bool direct = wiring_.registered && (connection.flags() & kNicReachesUser);
  return {connection, roundUp(connection.step(), unit), direct};
}

void Simple::openReceiver(const Connection& connection) {
  End end = makeEnd(connection);
  end.connection.postHead(end.step);  // steps that rounding skipped are free again
  if (end.direct) end.connection.setFifoSize(end.step, 0);
  receivers_.push_back(end);
}

void Simple::openSender(const Connection& connection) { senders_.push_back(makeEnd(connection)); }

// The user's buffer must not be overwritten before the proxy has sent the last of it.
Simple::~Simple() {
  for (End& end : receivers_) end.connection.keepStep(end.step);
  for (End& end : senders_) {
    end.connection.keepStep(end.step);
    if (!end.direct || !end.connection.hasFifo()) continue;
    const uint64_t last = end.step - static_cast<uint64_t>(wiring_.slicing.steps);
    waitUntil(*wiring_.channel, [&] { return end.connection.getFifoSize(last) == -1; });
  }
}

char* Simple::slot(const End& end) const {
  const Connection& c = end.connection;
  if (c.fifoGivesOffset(end.step)) return c.buffer(kSimple) + c.fifoOffset(end.step);
  return c.buffer(kSimple) + end.step % 8 * static_cast<size_t>(c.stepSize());
}

bool Simple::waitForPeers(const Step& step) {
  const auto steps = static_cast<uint64_t>(wiring_.slicing.steps);
  if (step.receive) {
    for (End& end : receivers_) {
      if (!waitUntil(*wiring_.channel, [&] { return end.connection.tail() >= end.step + steps; })) return false;
    }
  }
  if (step.send) {
    for (End& end : senders_) {
      if (!waitUntil(*wiring_.channel, [&] { return end.connection.head() + 8 >= end.step + steps; })) return false;
    }
  }
  return true;
}

// Where a slice comes from and goes to; null stands for data that is already, or stays, in the user's buffer.
void Simple::moveSlice(const Step& step, size_t offset, size_t count) {
  const size_t at = offset * element_;
  std::vector<const char*> inputs;
  std::vector<char*> outputs;
  if (step.target) outputs.push_back(step.target + at);
  if (step.receive) {
    for (const End& end : receivers_) inputs.push_back(end.direct ? userPlace(step, at) : slot(end));
  }
  if (step.send) {
    for (const End& end : senders_) {
      if (!end.direct) outputs.push_back(slot(end));
    }
  }
  const bool inPlace = wiring_.pointToPoint && wiring_.registered && !inputs.empty() && !inputs.front();
  if (!inPlace) combine(wiring_.reduction, step, step.source ? step.source + at : nullptr, inputs, outputs, count);
}

char* Simple::userPlace(const Step& step, size_t at) const {
  return wiring_.pointToPoint ? nullptr : step.registered + at;
}

void Simple::post(const Step& step) {
  const auto steps = static_cast<uint64_t>(wiring_.slicing.steps);
  if (step.receive) {
    for (End& end : receivers_) end.connection.postHead(end.step += steps);
  }
  if (step.send) {
    for (End& end : senders_) end.connection.postTail(end.step += steps);
  }
}

// A slice is a multiple of 16 elements, but at least a 32nd of what its steps can hold.
bool Simple::run(const Step& step) {
  const auto slices = static_cast<size_t>(wiring_.slicing.slices);
  const size_t largest = std::max((step.count + 16 * slices - 1) / (16 * slices) * 16,
                                  wiring_.stepCount * static_cast<size_t>(wiring_.slicing.steps) / 32);
  size_t offset = 0;
  for (size_t slice = 0; slice < slices; ++slice) {
    const size_t count = std::min(largest, step.count - offset);
    if (!waitForPeers(step)) return false;
    if (step.send) {
      for (End& end : senders_) {
        if (end.connection.hasFifo()) end.connection.setFifoSize(end.step, static_cast<int64_t>(count * element_));
      }
    }
    moveSlice(step, offset, count);
    post(step);
    offset += count;
  }
  return true;
}

}  // namespace polyrail::vgpu
