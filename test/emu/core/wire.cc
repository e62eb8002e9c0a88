// SPDX-License-Identifier: Apache-2.0
// How packets cross the fabric: loss, delay, order of a path, the receiver's rate, and where they end up.
#include <cmath>

#include "test/emu/core/qp.h"
#include "test/emu/core/world.h"

namespace polyrail::emu {

bool World::lost(const Port& from, const Packet& packet) {
  if (!from.active() || from.holeOut || dead_[static_cast<size_t>(from.device->host)] || from.device->removed)
    return true;
  if (packet.header.targetPort >= ports_.size()) return true;
  const Port& to = *ports_[packet.header.targetPort];
  if (from.spec->plane != to.spec->plane) return true;
  const double stays = (1 - from.loss) * (1 - (&from == &to ? 0 : to.loss));
  return stays < 1 && rng.unit() >= std::pow(stays, packet.header.packets);
}

void World::send(Packet* packet, Port* from, Time leaves) {
  PacketHeader& h = packet->header;
  h.sourcePort = from->id;
  trace.add(now_, "send", h.sourceQpn, h.psn, h.length);
  from->sentPackets += h.packets;
  from->sentBytes += h.length;
  if (faults_.watchesBytes()) faults_.onBytes(from);
  if (h.qpType != IBV_QPT_RC) keepPayload(packet);
  if (!from->rules.empty() && faults_.holds(from, packet)) return;
  if (lost(*from, *packet)) {
    from->lostPackets += h.packets;
    return release(packet);
  }
  Time arrival = leaves + from->spec->latency;
  if (from->spec->jitter > 0) arrival += static_cast<Time>(rng.unit() * static_cast<double>(from->spec->jitter));
  Time& last = lastArrival_[from->id * ports_.size() + h.targetPort];
  last = arrival = std::max(arrival, last);
  h.arrival = arrival;
  if (options_.remote && options_.remote->isElsewhere(h.targetQpn)) {
    options_.remote->send(packet);
    return release(packet);
  }
  arrive(packet);
}

void World::arrive(Packet* packet) {
  at(packet->header.arrival, onArrival, this, reinterpret_cast<uint64_t>(packet));
}

void World::onArrival(void* self, uint64_t argument) {
  World& world = *static_cast<World*>(self);
  auto* packet = reinterpret_cast<Packet*>(argument);
  if (packet->header.targetPort >= world.ports_.size()) return world.release(packet);
  Port& port = *world.ports_[packet->header.targetPort];
  const bool behind = port.arrivalsWait();
  const Time in = port.reserveArrival(world.now_, packet->header.length);
  if (in <= world.now_ && !behind) return world.deliver(packet);
  world.at(std::max(in, world.now_), onDelivery, self, argument);
}

void World::onDelivery(void* self, uint64_t packet) {
  static_cast<World*>(self)->deliver(reinterpret_cast<Packet*>(packet));
}

void World::deliver(Packet* packet) {
  Port& port = *ports_[packet->header.targetPort];
  port.delivered();
  Device& device = *port.device;
  const bool dead = dead_[static_cast<size_t>(device.host)] || device.removed;
  const bool gidGone =
      port.spec->ethernet && profile().gidGone != IBV_WC_SUCCESS && port.gidIndex(packet->header.targetGid) < 0;
  const auto it = device.qps.find(packet->header.targetQpn);
  if (dead || !port.active() || port.holeIn || gidGone || it == device.qps.end() || it->second->port != &port)
    return release(packet);
  Qp* qp = it->second;
  trace.add(now_, "arrive", qp->qpn, packet->header.psn, static_cast<uint64_t>(packet->header.kind));
  port.receivedBytes += packet->header.length;
  if (packet->header.kind != PacketKind::kRequest)
    handleReply(qp, packet);
  else if (qp->type == IBV_QPT_UD)
    handleDatagram(qp, packet);
  else
    handleRequest(qp, packet);
}

}  // namespace polyrail::emu
