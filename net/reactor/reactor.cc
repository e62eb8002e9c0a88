// SPDX-License-Identifier: Apache-2.0
#include "net/reactor/reactor.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <mutex>
#include <thread>

namespace polyrail::net {

Result<std::unique_ptr<Reactor>> Reactor::create() {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  const int event = epoll < 0 ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  if (event < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, event, &wanted) != 0) {
    const Status error = Status::error(std::string("cannot wait for control messages: ") + std::strerror(errno));
    if (epoll >= 0) close(epoll);
    if (event >= 0) close(event);
    return error;
  }
  return std::unique_ptr<Reactor>(new Reactor(epoll, event));
}

Reactor::~Reactor() {
  close(epoll_);
  close(event_);
}

Status Reactor::watch(int descriptor, Watcher* watcher) {
  const std::lock_guard lock(mutex_);
  epoll_event wanted{};
  wanted.events = EPOLLIN | EPOLLRDHUP | EPOLLET;
  wanted.data.u64 = nextId_;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &wanted) != 0)
    return Status::error(std::string("cannot watch a control channel: ") + std::strerror(errno));
  ids_[descriptor] = nextId_;
  watchers_[nextId_++] = {watcher, 0};
  stir();
  return {};
}

bool Reactor::forgetIdle(int descriptor) {
  const std::lock_guard lock(mutex_);
  const auto found = ids_.find(descriptor);
  if (found == ids_.end()) return true;
  if (found->second == called_) return false;
  epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
  watchers_.erase(found->second);
  ids_.erase(found);
  return true;
}

void Reactor::forget(int descriptor) {
  while (!forgetIdle(descriptor)) std::this_thread::yield();
}

template <typename Act>
void Reactor::call(uint64_t id, Act&& act) {
  Watcher* watcher = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = watchers_.find(id);
    if (found == watchers_.end()) return;
    watcher = found->second.watcher;
    called_ = id;
  }
  const int64_t due = act(*watcher);
  const std::lock_guard lock(mutex_);
  called_ = 0;
  watchers_.find(id)->second.due = due;  // it cannot have been forgotten meanwhile
}

void Reactor::ready(uint64_t id) {
  call(id, [this](Watcher& watcher) {
    watcher.ready();
    return due_ = clock_.nowNs();
  });
}

void Reactor::collectDue(bool everybody, int64_t now) {
  round_.clear();
  const std::lock_guard lock(mutex_);
  for (const auto& [id, entry] : watchers_)
    if (everybody || now >= entry.due) round_.push_back(id);
}

void Reactor::serveDue(bool everybody) {
  const int64_t now = clock_.nowNs();
  if (!everybody && now < due_) return;
  collectDue(everybody, now);
  for (const uint64_t id : round_) call(id, [now](Watcher& watcher) { return watcher.serve(now); });
  due_ = Watcher::kNever;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, entry] : watchers_) due_ = std::min(due_, entry.due);
}

int Reactor::patience(int milliseconds) const {
  if (due_ == Watcher::kNever) return milliseconds;
  const int64_t left = std::clamp<int64_t>((due_ - clock_.nowNs() + 999'999) / 1'000'000, 0, INT_MAX);
  return milliseconds < 0 ? static_cast<int>(left) : static_cast<int>(std::min<int64_t>(left, milliseconds));
}

void Reactor::turn(int milliseconds) {
  epoll_event events[32];
  const int n = epoll_wait(epoll_, events, 32, patience(milliseconds));
  for (int i = 0; i < n; i++) {
    if (events[i].data.u64 != 0) {
      ready(events[i].data.u64);
      continue;
    }
    uint64_t count;
    (void)!read(event_, &count, sizeof count);
    due_ = 0;  // somebody new, or somebody in a hurry
  }
  serveDue(everybody_.exchange(false, std::memory_order_acq_rel));
}

void Reactor::stir() {
  const uint64_t one = 1;
  (void)!write(event_, &one, sizeof one);
}

void Reactor::wake() {
  everybody_.store(true, std::memory_order_release);
  stir();
}

}  // namespace polyrail::net
