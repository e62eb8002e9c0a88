// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/recv_proxy.h"

#include <fmt/format.h>

#include <algorithm>

#include "test/contract/host/payload.h"

namespace polyrail::contract {
namespace {

void* const kOptional = reinterpret_cast<void*>(nccl::kNetOptionalRecvCompletion);
char profilerSlot;

}  // namespace

RecvProxy::RecvProxy(const NetCalls& calls, void* comm, const LinkPlan& plan, Faults& faults)
    : calls_(calls), comm_(comm), plan_(plan), faults_(faults) {
  for (const SubPlan& sub : plan.subs) {
    steps_ = std::max(steps_, sub.sizes.size());
    slots_.push_back(std::make_unique<Slots>(calls, comm, plan.capacity));
    if (!slots_.back()->registered()) failed_ = true, faults.add("regMr of a receive buffer failed");
  }
}

bool RecvProxy::progress() {
  bool moved = false;
  if (!failed_) moved |= post();
  if (!failed_) moved |= receive();
  if (!failed_) moved |= finishFlush();
  return moved;
}

bool RecvProxy::fail(const char* call, nccl::Result result) {
  failed_ = true;
  faults_.add(fmt::format("{} returned {}", call, static_cast<int>(result)));
  return false;
}

bool RecvProxy::post() {
  if (posted_ == steps_ || posted_ == done_ + kSteps) return false;
  Group& g = group(posted_);
  std::array<void*, nccl::kNetMaxGroup> data, mhandles, phandles;
  std::array<size_t, nccl::kNetMaxGroup> sizes;
  std::array<int, nccl::kNetMaxGroup> tags;
  g.members.clear();
  for (size_t sub = 0; sub < slots_.size(); sub++) {
    if (posted_ >= plan_.subs[sub].sizes.size()) continue;
    const size_t n = g.members.size();
    data[n] = slots_[sub]->at(posted_), mhandles[n] = slots_[sub]->mhandle(), phandles[n] = &profilerSlot;
    sizes[n] = plan_.capacity, tags[n] = plan_.subs[sub].tag;
    if (firstTouchedByte(data[n], plan_.capacity) != plan_.capacity)
      faults_.add("wrote into a receive buffer after its receive was done");
    g.members.push_back(sub);
  }
  g.request = plan_.lines ? kOptional : nullptr;
  const nccl::Result result = calls_.irecv(comm_, static_cast<int>(g.members.size()), data.data(), sizes.data(),
                                           tags.data(), mhandles.data(), phandles.data(), &g.request);
  if (result != nccl::Result::kSuccess) return fail("irecv", result);
  if (g.request == kOptional) {
    failed_ = true;
    faults_.add("irecv left the mark for optional completion in *request: NCCL tests it as a pointer");
  }
  if (g.request == nullptr || failed_) return false;
  g.flush = nullptr;
  posted_++;
  return true;
}

bool RecvProxy::receive() {
  if (received_ == posted_) return false;
  Group& g = group(received_);
  int done = 0;
  g.sizes.fill(0);
  const nccl::Result result = calls_.test(g.request, &done, g.sizes.data());
  if (result != nccl::Result::kSuccess) return fail("test of a receive", result);
  if (!done) return false;
  if (!plan_.lines) arrived(g);
  received_++;
  return true;
}

// The GPU's part: it looks at the flags, whatever test said.
bool RecvProxy::linesAreThere(const Group& g) {
  const LinesState state =
      lookAtLines(slots_[g.members[0]]->at(done_), sizeOf(g.members[0], done_), plan_.message(g.members[0], done_));
  if (state == LinesState::kTorn) faults_.add("a 128-byte line was torn: its flag came before its data");
  return state == LinesState::kWhole;
}

void RecvProxy::arrived(Group& g) {
  for (size_t place = 0; place < g.members.size(); place++) checkMember(g, place);
  for (size_t place = g.members.size(); place < g.sizes.size(); place++)
    if (g.sizes[place] != 0) faults_.add("test wrote sizes beyond the members of the receive");
  if (plan_.flush) startFlush(g);
}

void RecvProxy::checkMember(const Group& g, size_t place) {
  const size_t sub = g.members[place], size = sizeOf(sub, received_);
  const uint64_t message = plan_.message(sub, received_);
  const char* data = static_cast<const char*>(slots_[sub]->at(received_));
  if (static_cast<size_t>(g.sizes[place]) != size)
    faults_.add(fmt::format("a receive of {} bytes was reported as {}", size, g.sizes[place]));
  if (const size_t wrong = firstWrongByte(data, size, message); wrong != size)
    faults_.add(fmt::format("byte {} of a message of {} bytes is wrong", wrong, size));
  if (firstTouchedByte(data + size, plan_.capacity - size) != plan_.capacity - size)
    faults_.add("wrote behind the end of a message, inside the receive's capacity");
}

// As NCCL: finished members are left out of the buffers, but not out of the sizes.
void RecvProxy::startFlush(Group& g) {
  std::array<void*, nccl::kNetMaxGroup> data, mhandles;
  const size_t skipped = g.members.size() > 1 ? 1 : 0;
  for (size_t i = skipped; i < g.members.size(); i++) {
    data[i - skipped] = slots_[g.members[i]]->at(received_);
    mhandles[i - skipped] = slots_[g.members[i]]->mhandle();
  }
  if (std::all_of(g.sizes.begin(), g.sizes.end(), [](int size) { return size == 0; })) return;
  const nccl::Result result = calls_.iflush(comm_, static_cast<int>(g.members.size() - skipped), data.data(),
                                            g.sizes.data(), mhandles.data(), &g.flush);
  if (result != nccl::Result::kSuccess) fail("iflush", result);
}

bool RecvProxy::finishFlush() {
  if (done_ == received_) return false;
  Group& g = group(done_);
  if (plan_.lines && !linesAreThere(g)) return false;
  int done = 1;
  if (g.flush) {
    const nccl::Result result = calls_.test(g.flush, &done, nullptr);
    if (result != nccl::Result::kSuccess) return fail("test of a flush", result);
  }
  if (!done) return false;
  handBack(g);
  done_++;
  return true;
}

void RecvProxy::handBack(Group& g) {
  if (calls_.irecvConsumed) {
    const nccl::Result result = calls_.irecvConsumed(comm_, static_cast<int>(g.members.size()), g.request);
    if (result != nccl::Result::kSuccess) fail("irecvConsumed", result);
  }
  for (const size_t sub : g.members) poison(slots_[sub]->at(done_), plan_.capacity);
}

bool RecvProxy::deregister() {
  bool good = true;
  for (const auto& slots : slots_) {
    if (!slots->guardsIntact()) faults_.add("wrote outside a receive buffer");
    for (size_t step = 0; finished() && step < kSteps; step++)
      if (firstTouchedByte(slots->at(step), plan_.capacity) != plan_.capacity)
        faults_.add("wrote into a receive buffer after its receive was done");
    good &= slots->deregister();
  }
  return good;
}

}  // namespace polyrail::contract
