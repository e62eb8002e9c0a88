// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/recv_proxy.h"

#include <fmt/format.h>

#include <algorithm>

#include "test/contract/host/payload.h"

namespace polyrail::contract {
namespace {

void* const kOptional = reinterpret_cast<void*>(nccl::kNetOptionalRecvCompletion);
constexpr int kUnwritten = -559038737;  // what *done is before test: NCCL does not initialise it
char profilerSlot;

}  // namespace

RecvProxy::RecvProxy(const NetCalls& calls, void* comm, const LinkPlan& plan, Faults& faults)
    : calls_(calls), comm_(comm), plan_(plan), faults_(faults) {
  for (const SubPlan& sub : plan.subs) {
    steps_ = std::max(steps_, sub.sizes.size());
    slots_.push_back(std::make_unique<Slots>(calls, comm, plan));
    if (!slots_.back()->memory.registered()) failed_ = true, faults.add("registering a receive buffer failed");
  }
}

bool RecvProxy::progress() {
  bool moved = false;
  if (!failed_) moved |= post();
  for (size_t step = done_; plan_.lines && step < posted_; step++) lookAtLines(step);
  if (!failed_) moved |= receive();
  if (!failed_) moved |= finish();
  return moved;
}

bool RecvProxy::fail(const char* call, nccl::Result result) {
  failed_ = true;
  faults_.add(fmt::format("{} returned {}", call, static_cast<int>(result)));
  return false;
}

// Members of the group and the arguments of their irecv; finished subs have no part in it.
void RecvProxy::gather(Group& g) {
  g.members.clear();
  for (size_t sub = 0; sub < slots_.size(); sub++) {
    if (posted_ >= plan_.subs[sub].sizes.size()) continue;
    const size_t n = g.members.size();
    data_[n] = slots_[sub]->at(posted_), mhandles_[n] = slots_[sub]->memory.mhandle(), phandles_[n] = &profilerSlot;
    capacities_[n] = plan_.capacity, tags_[n] = plan_.subs[sub].tag;
    if (firstTouchedByte(data_[n], plan_.capacity) != plan_.capacity)
      faults_.add("wrote into a receive buffer after its receive was done");
    g.members.push_back(sub);
  }
}

bool RecvProxy::post() {
  if (posted_ == steps_ || posted_ == done_ + kSteps) return false;
  Group& g = group(posted_);
  gather(g);
  if (plan_.lines) g.request = kOptional;
  const nccl::Result result =
      calls_.irecv(comm_, static_cast<int>(g.members.size()), data_.data(), capacities_.data(), tags_.data(),
                   mhandles_.data(), phandles_.data(), &g.request);
  if (result != nccl::Result::kSuccess) return fail("irecv", result);
  if (g.request == kOptional) {
    failed_ = true;
    faults_.add("irecv left the mark for optional completion in *request: NCCL tests it as a request");
  }
  if (g.request == nullptr || failed_) return false;
  g.received = g.request;
  g.linesSeen.assign(plan_.lines ? sizeOf(g.members[0], posted_) / kLineBytes : 0, false);
  posted_++;
  return true;
}

bool RecvProxy::receive() {
  if (received_ == posted_) return false;
  Group& g = group(received_);
  int done = kUnwritten;
  g.sizes.fill(0);
  const nccl::Result result = calls_.test(g.request, &done, g.sizes.data());
  if (result != nccl::Result::kSuccess) return fail("test of a receive", result);
  if (done == kUnwritten) faults_.add("test left *done unwritten: NCCL reads what its stack held");
  if (!done || done == kUnwritten) return false;
  g.request = nullptr;
  g.flushing = plan_.place != Place::kHost;
  if (g.flushing) startFlush(g);
  received_++;
  return true;
}

void RecvProxy::startFlush(Group& g) {
  if (std::all_of(g.sizes.begin(), g.sizes.end(), [](int size) { return size == 0; })) return;
  const size_t n = g.members.size();
  for (size_t i = 0; i < n; i++) {
    data_[i] = slots_[g.members[i]]->at(received_);
    mhandles_[i] = slots_[g.members[i]]->memory.mhandle();
  }
  auto sizes = g.sizes;
  const nccl::Result result =
      calls_.iflush(comm_, static_cast<int>(n), data_.data(), sizes.data(), mhandles_.data(), &g.request);
  if (result != nccl::Result::kSuccess) fail("iflush", result);
}

// A flush without a request is done. The request stays where the next irecv finds it.
bool RecvProxy::flushed(Group& g) {
  if (!g.flushing || g.request == nullptr) return true;
  int done = 0;
  const nccl::Result result = calls_.test(g.request, &done, nullptr);
  if (result != nccl::Result::kSuccess) return fail("test of a flush", result);
  g.flushing = !done;
  return done;
}

bool RecvProxy::finish() {
  if (done_ == received_) return false;
  Group& g = group(done_);
  if (!flushed(g) || !linesAreThere(g)) return false;
  if (!plan_.lines) check(g);
  handBack(g);
  done_++;
  return true;
}

// The GPU's part: whatever test says, a line that shows its flag must be whole, in whatever order lines come.
void RecvProxy::lookAtLines(size_t step) {
  Group& g = group(step);
  for (size_t line = 0; line < g.linesSeen.size(); line++) {
    if (g.linesSeen[line]) continue;
    const LineState state = lookAtLine(slots_[g.members[0]]->at(step), line, plan_.message(g.members[0], step));
    if (state == LineState::kTorn) faults_.add("a 128-byte line was torn: its flag came before its data");
    g.linesSeen[line] = state != LineState::kMissing;
  }
}

bool RecvProxy::linesAreThere(const Group& g) const {
  return std::find(g.linesSeen.begin(), g.linesSeen.end(), false) == g.linesSeen.end();
}

void RecvProxy::check(Group& g) {
  for (size_t place = 0; place < g.members.size(); place++) checkMember(g, place);
  for (size_t place = g.members.size(); place < g.sizes.size(); place++)
    if (g.sizes[place] != 0) faults_.add("test wrote sizes beyond the members of the receive");
}

void RecvProxy::checkMember(const Group& g, size_t place) {
  const size_t sub = g.members[place], size = sizeOf(sub, done_);
  const uint64_t message = plan_.message(sub, done_);
  const char* data = static_cast<const char*>(slots_[sub]->at(done_));
  if (static_cast<size_t>(g.sizes[place]) != size)
    faults_.add(fmt::format("a receive of {} bytes was reported as {}", size, g.sizes[place]));
  if (const size_t wrong = firstWrongByte(data, size, message); wrong != size)
    faults_.add(plan_.place == Place::kHost
                    ? fmt::format("byte {} of a message of {} bytes is wrong", wrong, size)
                    : fmt::format("byte {} of a message of {} bytes is wrong after its flush", wrong, size));
  if (firstTouchedByte(data + size, plan_.capacity - size) != plan_.capacity - size)
    faults_.add("wrote behind the end of a message, inside the receive's capacity");
}

void RecvProxy::handBack(Group& g) {
  if (calls_.irecvConsumed) {
    const nccl::Result result = calls_.irecvConsumed(comm_, static_cast<int>(g.members.size()), g.received);
    if (result != nccl::Result::kSuccess) fail("irecvConsumed", result);
  }
  for (const size_t sub : g.members) poison(slots_[sub]->at(done_), plan_.capacity);
}

bool RecvProxy::deregister() {
  bool good = true;
  for (const auto& slots : slots_) {
    if (!slots->memory.guardsIntact()) faults_.add("wrote outside a receive buffer");
    for (size_t step = 0; finished() && step < kSteps; step++)
      if (firstTouchedByte(slots->at(step), plan_.capacity) != plan_.capacity)
        faults_.add("wrote into a receive buffer after its receive was done");
    good &= slots->memory.deregister();
  }
  return good;
}

}  // namespace polyrail::contract
