// SPDX-License-Identifier: Apache-2.0
#include "test/emu/core/device.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "test/emu/core/qp.h"
#include "test/emu/core/world.h"

namespace polyrail::emu {

Port::Port(Device* d, const PortSpec* s, uint32_t i, uint8_t n)
    : device(d), spec(s), id(i), number(n), loss(s->loss) {
  for (const GidSpec& gid : s->gids) gids.push_back({gid, true});
}

const GidEntry* Port::gid(int index) const {
  if (index < 0 || static_cast<size_t>(index) >= gids.size() || !gids[static_cast<size_t>(index)].valid)
    return nullptr;
  return &gids[static_cast<size_t>(index)];
}

int Port::gidIndex(const ibv_gid& gid) const {
  for (size_t i = 0; i < gids.size(); i++)
    if (gids[i].valid && std::memcmp(&gids[i].spec.gid, &gid, sizeof gid) == 0) return static_cast<int>(i);
  return -1;
}

Time Port::wireTime(uint64_t bytes, double* remainder) const {
  if (spec->rate == 0) return 0;
  const double exact = static_cast<double>(bytes) * 8e9 / (static_cast<double>(spec->rate) * factor) + *remainder;
  const Time whole = static_cast<Time>(exact);
  *remainder = exact - static_cast<double>(whole);
  return whole;
}

void Port::kick(Qp* qp, Time at) {
  if (!qp->inReady && canSend(*qp, at)) {
    qp->inReady = true;
    ready_.push_back(qp);
  }
  if (scheduled_ || ready_.empty()) return;
  scheduled_ = true;
  device->world->at(
      std::max(at, free_), [](void* port, uint64_t) { static_cast<Port*>(port)->send(); }, this, 0);
}

void Port::forget(const Qp* qp) { std::erase(ready_, qp); }

void Port::send() {
  World& world = *device->world;
  scheduled_ = false;
  if (ready_.empty()) return;
  Qp* qp = ready_.front();
  ready_.pop_front();
  qp->inReady = false;
  if (Packet* packet = nextPacket(qp, world.now())) {
    const uint64_t wire = packet->header.length + packet->header.packets * world.fabric().headerBytes;
    free_ = std::max(world.now(), free_) + wireTime(wire, &remainder_);
    world.send(packet, this, free_);
  }
  kick(qp, world.now());
  if (!ready_.empty()) kick(ready_.front(), world.now());
}

Time Port::reserveArrival(Time at, uint64_t wireBytes) {
  coming_++;
  arrivalsFree_ = std::max(at, arrivalsFree_ + wireTime(wireBytes, &arrivalsRemainder_));
  return arrivalsFree_;
}

Device::Device(World* w, int h, const NicSpec* s, uint32_t n) : world(w), host(h), spec(s), number(n) {
  face.node_type = IBV_NODE_CA;
  face.transport_type = IBV_TRANSPORT_IB;
  std::snprintf(face.name, sizeof face.name, "%s", s->name.c_str());
  std::snprintf(face.dev_name, sizeof face.dev_name, "uverbs%u", n);
  std::snprintf(face.dev_path, sizeof face.dev_path, "/sys/class/infiniband_verbs/uverbs%u", n);
  std::snprintf(face.ibdev_path, sizeof face.ibdev_path, "/sys/class/infiniband/%.60s", s->name.c_str());
}

// An index and eight bits that change with each use, as adapters lay out their keys.
uint32_t Device::takeKey() {
  do keys_++;
  while (mrs.contains(keys_ << 8 | (keys_ & 0xff)));
  return keys_ << 8 | (keys_ & 0xff);
}

int Device::takeQpn(uint32_t* qpn) {
  const WorldOptions& o = world->options();
  const uint32_t all = o.qpnCount ? o.qpnCount : (1u << 24) - 64;
  const uint32_t range =
      spec->limits.qpnRange ? std::min<uint32_t>(static_cast<uint32_t>(spec->limits.qpnRange), all) : all;
  for (uint32_t tries = 0; tries < range; tries++) {
    const uint32_t candidate = o.qpnBase + 17 + (o.qpnFirst + qpns_++) % range;
    if (qps.contains(candidate)) continue;
    *qpn = candidate;
    return 0;
  }
  return ENOMEM;
}

void Device::raisePortEvent(const Port& port, ibv_event_type type) {
  ibv_async_event event{};
  event.event_type = type;
  event.element.port_num = port.number;
  world->trace.add(world->now(), "event", port.id, type);
  for (Context* context : contexts) raise(context, event);
}

}  // namespace polyrail::emu
