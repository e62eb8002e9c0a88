// SPDX-License-Identifier: Apache-2.0
#include "test/emu/core/world.h"

#include <algorithm>

#include "test/emu/core/qp.h"

namespace polyrail::emu {

World::World(Fabric fabric, FaultScript faults, WorldOptions options)
    : rng(fabric.seed), fabric_(std::move(fabric)), options_(options), faults_(this, std::move(faults)) {
  build();
}

World::~World() = default;

void World::build() {
  spent_.assign(fabric_.hosts.size(), 0);
  dead_.assign(fabric_.hosts.size(), false);
  for (size_t h = 0; h < fabric_.hosts.size(); h++) {
    for (const NicSpec& nic : fabric_.hosts[h].nics) {
      devices_.push_back(
          std::make_unique<Device>(this, static_cast<int>(h), &nic, static_cast<uint32_t>(devices_.size())));
      Device* device = devices_.back().get();
      for (const PortSpec& spec : nic.ports) {
        const uint8_t number = static_cast<uint8_t>(device->ports.size() + 1);
        ports_.push_back(std::make_unique<Port>(device, &spec, static_cast<uint32_t>(ports_.size()), number));
        device->ports.push_back(ports_.back().get());
      }
    }
  }
  lastArrival_.assign(ports_.size() * ports_.size(), 0);
  for (const auto& [a, b] : fabric_.cables) {
    Port *left = port(a), *right = port(b);
    if (!left || !right) continue;  // FaultEngine::start() reports names that are not there
    left->cable = right;
    right->cable = left;
  }
}

void World::at(Time when, void (*run)(void*, uint64_t), void* target, uint64_t argument) {
  queue_.push(when, run, target, argument);
}

void World::settle() {
  const Time spent = spent_.empty() ? 0 : *std::max_element(spent_.begin(), spent_.end());
  std::fill(spent_.begin(), spent_.end(), 0);
  runUntil(now_ + spent);
}

bool World::advance() {
  settle();
  if (queue_.empty()) return false;
  runUntil(std::max(now_, queue_.next()));
  return true;
}

void World::runUntil(Time when) {
  horizon_ = when;
  while (queue_.next() <= when) {
    const Event event = queue_.pop();
    now_ = event.at;
    event.run(event.target, event.argument);
  }
  now_ = when;
}

int World::host(const std::string& name) const {
  for (size_t h = 0; h < fabric_.hosts.size(); h++)
    if (fabric_.hosts[h].name == name) return static_cast<int>(h);
  return -1;
}

Device* World::device(const std::string& path) const {
  const size_t slash = path.find('/');
  if (slash == std::string::npos) return nullptr;
  const int h = host(path.substr(0, slash));
  for (const auto& device : devices_)
    if (device->host == h && device->spec->name == path.substr(slash + 1)) return device.get();
  return nullptr;
}

Port* World::port(const std::string& path) const {
  if (const Device* whole = device(path)) return whole->port(1);
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos || slash + 2 != path.size()) return nullptr;
  const Device* nic = device(path.substr(0, slash));
  return nic ? nic->port(static_cast<unsigned>(path.back() - '0')) : nullptr;
}

Port* World::findByGid(const ibv_gid& gid) const {
  for (const auto& port : ports_)
    if (port->gidIndex(gid) >= 0) return port.get();
  return nullptr;
}

Port* World::findByLid(uint16_t lid, int plane) const {
  for (const auto& port : ports_)
    if (!port->spec->ethernet && port->spec->lid == lid && port->spec->plane == plane) return port.get();
  return nullptr;
}

void World::killHost(int host) {
  dead_[static_cast<size_t>(host)] = true;
  for (const auto& port : ports_)
    if (port->device->host == host) port->brokenSince = now_;
}

Packet* World::newPacket() {
  if (idle_.empty()) {
    pool_.push_back(std::make_unique<Packet>());
    idle_.push_back(pool_.back().get());
  }
  Packet* packet = idle_.back();
  idle_.pop_back();
  packet->header = PacketHeader{};
  packet->pieces.clear();
  packet->own.clear();
  packet->owned = packet->held = false;
  packet->pid = 0;
  packet->onTheWay = true;
  return packet;
}

void World::release(Packet* packet) {
  packet->onTheWay = false;
  idle_.push_back(packet);
}

void World::keepPayload(Packet* packet) {
  if (packet->owned || packet->pid != 0) return;
  packet->own.resize(packet->header.length);
  size_t at = 0;
  for (const Piece& piece : packet->pieces) {
    std::copy_n(piece.address, piece.length, packet->own.begin() + static_cast<ptrdiff_t>(at));
    at += piece.length;
  }
  packet->pieces.clear();
  packet->owned = true;
}

void World::keepPayloadsOf(uint64_t uid) {
  for (const auto& packet : pool_)
    if (packet->onTheWay && packet->header.sourceUid == uid) keepPayload(packet.get());
}

void World::keepPayloadsIn(uint64_t address, uint64_t length) {
  for (const auto& packet : pool_) {
    if (!packet->onTheWay || packet->pid != 0) continue;
    for (const Piece& piece : packet->pieces) {
      const auto start = reinterpret_cast<uint64_t>(piece.address);
      if (start >= address + length || start + piece.length <= address) continue;
      keepPayload(packet.get());
      break;
    }
  }
}

void World::addQp(Qp* qp) {
  qp->uid = ++uids_;
  qps_[qp->uid] = qp;
}

void World::removeQp(Qp* qp) { qps_.erase(qp->uid); }

Qp* World::findUid(uint64_t uid) const {
  const auto it = qps_.find(uid);
  return it == qps_.end() ? nullptr : it->second;
}

}  // namespace polyrail::emu
