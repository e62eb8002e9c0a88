// SPDX-License-Identifier: Apache-2.0
#include "test/emu/verbs/session.h"

#include <unistd.h>

namespace polyrail::emu {
namespace {

std::atomic<Session*> current{nullptr};

Time costOf(Call call, const CpuCosts& costs) {
  switch (call) {
    case Call::kPostSend:
    case Call::kPostRecv:
    case Call::kPostSrqRecv: return costs.post;
    case Call::kPollCq: return costs.poll;
    default: return costs.other;
  }
}

}  // namespace

Session* currentSession() {
  Session* session = current.load(std::memory_order_acquire);
  if (session) return session;
  static Session* const real = makeRealSession();  // kept to the end: its thread may be in it
  return real;
}

void setSession(Session* session) { current.store(session, std::memory_order_release); }

Entry::Entry(Session* session, Call call, int host) : session_(session), error_(0) {
  session_->lock();
  World& w = session_->world();
  const CallVerdict verdict = w.faults().onCall(call, host);
  error_ = verdict.error;
  if (!session_->realTime()) w.charge(host, costOf(call, w.fabric().cpu));
  if (verdict.delay > 0) session_->pause(host, verdict.delay);
}

void waitWhile(Session* session, const std::function<bool()>& busy) {
  for (bool waiting = session->realTime(); waiting;) {
    session->lock();
    waiting = busy();
    session->unlock();
    if (waiting) usleep(100);
  }
}

}  // namespace polyrail::emu
