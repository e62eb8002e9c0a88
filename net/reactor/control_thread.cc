// SPDX-License-Identifier: Apache-2.0
#include "net/reactor/control_thread.h"

#include <unistd.h>
#include <csignal>
#include <cstring>

namespace polyrail::net {

void* ControlThread::run(void* self) {
  auto* thread = static_cast<ControlThread*>(self);
  pthread_setname_np(pthread_self(), "polyrail-ctl");
  int patience = -1;
  while (!thread->stopping_.load(std::memory_order_acquire)) {
    thread->reactor_->turn(patience);
    if (thread->chore_) patience = thread->chore_->betweenTurns();
  }
  return nullptr;
}

Status ControlThread::start(Reactor& reactor, Chore* chore) {
  sigset_t all, before;
  sigfillset(&all);
  reactor_ = &reactor;
  chore_ = chore;
  pid_ = getpid();
  stopping_ = false;
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&thread_, nullptr, run, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error == 0) return {};
  reactor_ = nullptr;
  return Status::error(std::string("cannot start the control thread: ") + std::strerror(error));
}

void ControlThread::stop() {
  if (!reactor_ || pid_ != getpid()) return;
  stopping_.store(true, std::memory_order_release);
  reactor_->wake();
  pthread_join(thread_, nullptr);
  reactor_ = nullptr;
}

}  // namespace polyrail::net
