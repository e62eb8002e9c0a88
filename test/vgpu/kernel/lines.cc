// SPDX-License-Identifier: Apache-2.0
// LL: lines of 16 bytes, two words of data with the flag behind each. LL128: lines of 128 bytes, the flag in the last
// eight; they come in slices of 16, whose empty lines are sent too. The flag is the step's number plus one, so that
// what an earlier round left behind is never taken for new. Only LL128's senders post a tail, for the proxy.
#include "test/vgpu/kernel/lines.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "test/vgpu/kernel/wait.h"

namespace polyrail::vgpu {

namespace {

struct Shape {
  size_t line;   // bytes on the wire
  size_t data;   // bytes of data in it
  size_t slice;  // lines that are sent together
};

constexpr Shape kLlShape{16, 8, 1};
constexpr Shape kLl128Shape{128, 120, 16};

const Shape& shapeOf(int protocol) { return protocol == kLl ? kLlShape : kLl128Shape; }

uint64_t word(const char* line, size_t index) {
  return reinterpret_cast<const std::atomic<uint64_t>*>(line + 8 * index)->load(std::memory_order_acquire);
}

void setWord(char* line, size_t index, uint64_t value) {
  reinterpret_cast<std::atomic<uint64_t>*>(line + 8 * index)->store(value, std::memory_order_release);
}

bool valid(int protocol, const char* line, uint64_t flag) {
  if (protocol == kLl128) return word(line, 15) == flag;
  const auto small = static_cast<uint32_t>(flag);
  return word(line, 0) >> 32 == small && word(line, 1) >> 32 == small;
}

void readLine(int protocol, const char* line, char* data) {
  if (protocol == kLl128) {
    memcpy(data, line, kLl128Shape.data);
    return;
  }
  memcpy(data, line, 4);
  memcpy(data + 4, line + 8, 4);
}

void writeLine(int protocol, char* line, const char* data, uint64_t flag) {
  if (protocol == kLl128) {
    memcpy(line, data, kLl128Shape.data);
    setWord(line, 15, flag);
    return;
  }
  uint32_t halves[2];
  memcpy(halves, data, sizeof halves);
  setWord(line, 0, halves[0] | flag << 32);
  setWord(line, 1, halves[1] | flag << 32);
}

}  // namespace

Lines::Lines(Wiring wiring, int protocol) : Primitives(std::move(wiring)), protocol_(protocol) {
  for (const Connection& c : wiring_.receivers) receivers_.push_back({c, c.step()});
  for (const Connection& c : wiring_.senders) senders_.push_back({c, c.step()});
}

Lines::~Lines() {
  for (End& end : receivers_) end.connection.keepStep(end.step);
  for (End& end : senders_) end.connection.keepStep(end.step);
}

char* Lines::slot(const End& end) const {
  const auto size = static_cast<size_t>(wiring_.channel->bufferSize(protocol_)) / 8;
  return end.connection.buffer(protocol_) + end.step % 8 * size;
}

size_t Lines::lineCount(size_t bytes) const {
  const Shape& shape = shapeOf(protocol_);
  const size_t slice = shape.data * shape.slice;
  return (bytes + slice - 1) / slice * shape.slice;
}

bool Lines::waitForRoom(size_t lines) {
  for (End& end : senders_) {
    if (!waitUntil(*wiring_.channel, [&] { return end.connection.head() + 8 >= end.step + 1; })) return false;
    const size_t bytes = lines * shapeOf(protocol_).line;
    if (end.connection.hasFifo()) end.connection.setFifoSize(end.step, static_cast<int64_t>(bytes));
  }
  return true;
}

bool Lines::unpack(const End& end, char* data, size_t bytes) {
  const Shape& shape = shapeOf(protocol_);
  const char* line = slot(end);
  for (size_t at = 0; at < bytes; at += shape.data, line += shape.line) {
    if (!waitUntil(*wiring_.channel, [&] { return valid(protocol_, line, end.step + 1); })) return false;
    readLine(protocol_, line, data + at);
  }
  return true;
}

void Lines::pack(const End& end, const char* data, size_t bytes, size_t lines) {
  const Shape& shape = shapeOf(protocol_);
  char* line = slot(end);
  char last[128] = {};
  for (size_t i = 0; i < lines; ++i, line += shape.line) {
    const size_t at = i * shape.data;
    const size_t rest = at < bytes ? std::min(bytes - at, shape.data) : 0;
    if (rest < shape.data) memcpy(last, data + std::min(at, bytes), rest);
    writeLine(protocol_, line, rest < shape.data ? last : data + at, end.step + 1);
  }
}

void Lines::post(const Step& step) {
  if (step.receive) {
    for (End& end : receivers_) end.connection.postHead(++end.step);
  }
  if (!step.send) return;
  for (End& end : senders_) {
    ++end.step;
    if (protocol_ == kLl128 && end.connection.hasFifo()) end.connection.postTail(end.step);
  }
}

bool Lines::run(const Step& step) {
  const size_t bytes = step.count * element_, lines = lineCount(bytes);
  if (step.send && !waitForRoom(lines)) return false;
  const size_t room = (bytes + shapeOf(protocol_).data) / 8 * 8 + 128;  // whole lines are written
  std::vector<std::vector<char>> received;
  std::vector<const char*> inputs;
  if (step.receive) {
    for (const End& end : receivers_) {
      received.emplace_back(room);
      if (!unpack(end, received.back().data(), bytes)) return false;
      inputs.push_back(received.back().data());
    }
  }
  std::vector<char> result(room);
  std::vector<char*> outputs{result.data()};
  if (step.target) outputs.push_back(step.target);
  combine(wiring_.reduction, step, step.source, inputs, outputs, step.count);
  if (step.send) {
    for (const End& end : senders_) pack(end, result.data(), bytes, lines);
  }
  post(step);
  return true;
}

}  // namespace polyrail::vgpu
