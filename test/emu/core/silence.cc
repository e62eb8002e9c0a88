// SPDX-License-Identifier: Apache-2.0
// The transport timer: when no answer is a silent peer, and when it is only a peer that has not run. In virtual time,
// and within one process, events run in order and the clock decides. Between processes a timer that runs out first
// asks the other process (kAsk), behind all that was sent to it; the answer (kAnswer) comes behind all that it sent
// back, after it has run up to its present. Only if there is still no acknowledgement by then has the network lost
// something. So a process that the machine keeps waiting is never taken for a dead one; a killed one answers at once,
// through the kernel (Transport).
#include "test/emu/core/qp.h"
#include "test/emu/core/world.h"

namespace polyrail::emu {
namespace {

constexpr uint32_t kNumberBits = 20;  // of an ask, beside the queue pair's uid

Time timeoutOf(const Qp& qp) {
  if (qp.attr.timeout == 0) return kNever;
  const Time exact = Time{4096} << qp.attr.timeout;
  const Time step = qp.world->profile().timerStep;
  return step ? (exact + step - 1) / step * step : exact;
}

void setTimer(Qp* qp, Time when) {
  qp->timerSet = true;
  qp->world->at(
      when,
      [](void* self, uint64_t uid) {
        World& world = *static_cast<World*>(self);
        if (Qp* found = world.findUid(uid)) handleTimer(found, world.now());
      },
      qp->world, qp->uid);
}

// Whether the other process was asked; false when there is none.
bool ask(Qp* qp) {
  const World& world = *qp->world;
  Remote* remote = world.options().remote;
  if (!remote || !remote->isElsewhere(qp->attr.dest_qp_num)) return false;
  qp->askNumber = (qp->askNumber + 1) & ((1u << kNumberBits) - 1);
  qp->askedFor = qp->oldestSent;
  qp->asked = remote->ask({.sourceQpn = qp->qpn,
                           .targetQpn = qp->attr.dest_qp_num,
                           .targetPort = qp->targetPort,
                           .psn = qp->askNumber,
                           .sourceUid = qp->uid});
  return qp->asked;
}

void expire(Qp* qp, Time now) {
  qp->oldestSent = now;
  if (qp->port) qp->port->ackTimeouts++;
  setTimer(qp, now + timeoutOf(*qp));
  retry(qp);
}

bool timed(const Qp& qp) {
  return qp.outstanding() && qp.attr.timeout != 0 && (qp.state == IBV_QPS_RTS || qp.state == IBV_QPS_SQD);
}

}  // namespace

void startTimer(Qp* qp, Time from) {
  qp->oldestSent = from;
  const Time timeout = timeoutOf(*qp);
  if (qp->type == IBV_QPT_RC && !qp->timerSet && timeout != kNever) setTimer(qp, from + timeout);
}

void handleTimer(Qp* qp, Time now) {
  qp->timerSet = false;
  if (!timed(*qp)) return;
  const Time end = qp->oldestSent + timeoutOf(*qp);
  if (now < end) return setTimer(qp, end);
  if (qp->asked || ask(qp)) return;
  expire(qp, now);
}

void handleAnswer(Qp* qp, uint32_t number) {
  if (!qp->asked || number != qp->askNumber) return;  // of an earlier connection
  qp->asked = false;
  if (!timed(*qp)) return;
  if (qp->oldestSent == qp->askedFor) return expire(qp, qp->world->now());
  if (!qp->timerSet) setTimer(qp, qp->oldestSent + timeoutOf(*qp));
}

// The last acknowledgement that the other process sent before may still be on its way.
void World::answered(const PacketHeader& h) {
  const Port* from = port(h.targetPort);
  const Time way = from ? from->spec->latency + from->spec->jitter : 0;
  at(
      std::max(present(), h.arrival + way),
      [](void* self, uint64_t argument) {
        Qp* found = static_cast<World*>(self)->findUid(argument >> kNumberBits);
        if (found) handleAnswer(found, argument & ((1u << kNumberBits) - 1));
      },
      this, h.sourceUid << kNumberBits | h.psn);
}

}  // namespace polyrail::emu
