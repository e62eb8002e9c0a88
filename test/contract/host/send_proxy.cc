// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/send_proxy.h"

#include <fmt/format.h>

#include "test/contract/host/payload.h"

namespace polyrail::contract {
namespace {

constexpr int kUnwritten = -559038737;  // what *done is before test: NCCL does not initialise it
char stale;  // what *request points to before isend: the request of an earlier message, to NCCL
char profilerSlot;

}  // namespace

SendProxy::SendProxy(const NetCalls& calls, void* comm, const LinkPlan& plan, Faults& faults)
    : calls_(calls), comm_(comm), plan_(plan), faults_(faults) {
  for (size_t i = 0; i < plan.subs.size(); i++) {
    Sub& sub = subs_.emplace_back();
    sub.slots = std::make_unique<Slots>(calls, comm, plan);
    if (!sub.slots->memory.registered()) failed_ = true, faults.add("registering a send buffer failed");
  }
}

bool SendProxy::progress() {
  bool moved = false;
  for (size_t i = 0; i < subs_.size() && !failed_; i++) {
    moved |= send(i, subs_[i]);
    moved |= complete(i, subs_[i]);
  }
  return moved;
}

void SendProxy::fill(size_t index, Sub& sub) {
  if (sub.filled > sub.sent) return;
  sub.filled++;
  const size_t size = plan_.subs[index].sizes[sub.sent];
  const uint64_t message = plan_.message(index, sub.sent);
  if (plan_.lines)
    fillLines(sub.slots->at(sub.sent), size, message);
  else
    fillPayload(sub.slots->at(sub.sent), size, message);
}

bool SendProxy::send(size_t index, Sub& sub) {
  const SubPlan& plan = plan_.subs[index];
  if (sub.sent == plan.sizes.size() || sub.sent == sub.done + kSteps) return false;
  fill(index, sub);
  void*& request = sub.requests[sub.sent % kSteps];
  request = &stale;
  const nccl::Result result = calls_.isend(comm_, sub.slots->at(sub.sent), plan.sizes[sub.sent], plan.tag,
                                           sub.slots->memory.mhandle(), &profilerSlot, &request);
  if (result != nccl::Result::kSuccess) {
    failed_ = true;
    faults_.add(fmt::format("isend returned {}", static_cast<int>(result)));
    return false;
  }
  if (request == &stale) {
    failed_ = true;
    faults_.add("isend left *request as it was: NCCL takes the old pointer for a request");
  }
  if (request == nullptr || failed_) return false;
  sub.sent++;
  return true;
}

bool SendProxy::complete(size_t index, Sub& sub) {
  if (sub.done == sub.sent) return false;
  int done = kUnwritten, size = -1;
  const nccl::Result result = calls_.test(sub.requests[sub.done % kSteps], &done, &size);
  if (result != nccl::Result::kSuccess) {
    failed_ = true;
    faults_.add(fmt::format("test of a send returned {}", static_cast<int>(result)));
  }
  if (!failed_ && done == kUnwritten) faults_.add("test left *done unwritten: NCCL reads what its stack held");
  if (failed_ || !done || done == kUnwritten) return false;
  const size_t sent = plan_.subs[index].sizes[sub.done];
  if (static_cast<size_t>(size) != sent && size != -1)
    faults_.add(fmt::format("a send of {} bytes was reported as {}", sent, size));
  poison(sub.slots->at(sub.done), plan_.capacity);
  sub.done++;
  return true;
}

bool SendProxy::finished() const {
  for (size_t i = 0; i < subs_.size(); i++)
    if (subs_[i].done != plan_.subs[i].sizes.size()) return false;
  return true;
}

bool SendProxy::deregister() {
  bool good = true;
  for (Sub& sub : subs_) {
    if (!sub.slots->memory.guardsIntact()) faults_.add("wrote outside a send buffer");
    good &= sub.slots->memory.deregister();
  }
  return good;
}

}  // namespace polyrail::contract
