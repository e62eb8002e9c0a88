// SPDX-License-Identifier: Apache-2.0
#include "net/reactor/reactor.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>

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
  watchers_[nextId_++] = watcher;
  return {};
}

void Reactor::forget(int descriptor) {
  const std::lock_guard lock(mutex_);
  const auto found = ids_.find(descriptor);
  if (found == ids_.end()) return;
  epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
  watchers_.erase(found->second);
  ids_.erase(found);
}

void Reactor::serve(uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = watchers_.find(id);
  if (found != watchers_.end()) found->second->ready();
}

void Reactor::turn(int milliseconds) {
  epoll_event events[32];
  const int n = epoll_wait(epoll_, events, 32, milliseconds);
  for (int i = 0; i < n; i++) {
    if (events[i].data.u64 != 0) {
      serve(events[i].data.u64);
      continue;
    }
    uint64_t count;
    (void)!read(event_, &count, sizeof count);
  }
}

void Reactor::wake() {
  const uint64_t one = 1;
  (void)!write(event_, &one, sizeof one);
}

}  // namespace polyrail::net
