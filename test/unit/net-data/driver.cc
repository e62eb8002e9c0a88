// SPDX-License-Identifier: Apache-2.0
#include "test/unit/net-data/driver.h"

#include <algorithm>

namespace polyrail::net {
namespace {

char patternAt(int seed, size_t i) {
  return seed < 0 ? '\0' : static_cast<char>(static_cast<size_t>(seed) * 37 + i * 11 + i / 251);
}

}  // namespace

Driver::Buffer& Driver::buffer(bool sender, size_t size, int seed, bool device) {
  Buffer& b = buffers_.emplace_back();
  b.bytes.resize(size + 1);
  for (size_t i = 0; i < size; i++) b.bytes[i] = patternAt(seed, i);
  b.keys = rig_.keys(sender, b.bytes.data(), b.bytes.size(), device);
  return b;
}

bool Driver::holds(const Buffer& b, size_t size, int seed) {
  for (size_t i = 0; i < size; i++)
    if (b.bytes[i] != patternAt(seed, i)) return false;
  return true;
}

Request* Driver::receive(const std::vector<Want>& wants, std::vector<Buffer*>* buffers, bool device) {
  std::vector<void*> data;
  std::vector<size_t> capacities;
  std::vector<int> tags;
  std::vector<const MemoryKeys*> keys;
  rig_.on(false);
  for (const Want& w : wants) {
    Buffer& b = buffer(false, w.capacity, -1, device);
    if (buffers) buffers->push_back(&b);
    data.push_back(b.bytes.data());
    capacities.push_back(w.capacity);
    tags.push_back(w.tag);
    keys.push_back(&b.keys);
  }
  Request* request = nullptr;
  outcome = pair_.recv->irecv(static_cast<unsigned>(wants.size()), data.data(), capacities.data(), tags.data(),
                              keys.data(), &request);
  return request;
}

Request* Driver::send(size_t size, int tag, int seed) {
  rig_.on(true);
  Buffer& b = buffer(true, size, seed);
  Request* request = nullptr;
  outcome = pair_.send->isend(b.bytes.data(), size, tag, b.keys, &request);
  if (!request) buffers_.pop_back();
  return request;
}

bool Driver::done(bool sender, Request* request, int* sizes) {
  rig_.on(sender);
  int isDone = 0;
  outcome = test(request, &isDone, sizes);
  return isDone != 0;
}

bool Driver::wait(bool sender, Request* request, std::vector<int>* sizes) {
  int found[kGroup] = {};
  bool isDone = false;
  rig_.sim().until([&] { return (isDone = done(sender, request, found)) || outcome != Outcome::kOk; }, 5'000'000'000);
  if (sizes) sizes->assign(found, found + kGroup);
  return isDone;
}

int receiverNotReady(Rig& rig) {
  const std::string kind = " " + std::to_string(static_cast<int>(emu::PacketKind::kRnrNak));
  int count = 0;
  for (const std::string& line : rig.sim().world().trace.lines())
    count += line.find(" arrive ") != std::string::npos && line.ends_with(kind);
  return count;
}

}  // namespace polyrail::net
