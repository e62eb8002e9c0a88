// SPDX-License-Identifier: Apache-2.0
// What each fault does to a port, and how it is undone.
#include "test/emu/core/fault_engine.h"
#include "test/emu/core/qp.h"
#include "test/emu/core/world.h"

namespace polyrail::emu {

void FaultEngine::playOnPort(const Fault& fault, Port* port) {
  const bool in = fault.direction != "out", out = fault.direction != "in";
  switch (fault.act) {
    case Act::kPortDown: return setLink(port, false, fault.event);
    case Act::kPortUp: return setLink(port, true, fault.event);
    case Act::kBlackHole:
      port->holeIn |= in;
      port->holeOut |= out;
      port->brokenSince = world_->now();
      return;
    case Act::kHeal:
      port->holeIn = port->holeOut = false;
      port->factor = 1;
      port->loss = port->spec->loss;
      return;
    case Act::kSlow: port->factor = std::max(fault.amount, 0.001) / 100; return;
    case Act::kLoss:
      port->loss = fault.amount;
      if (fault.amount >= 1) port->brokenSince = world_->now();
      return;
    case Act::kCompleteWith:
      port->endings = fault.count ? fault.count : INT64_MAX;
      port->ending = fault.status;
      return;
    case Act::kLate:
    case Act::kAckWithoutPlacing:
    case Act::kReorder: port->rules.push_back({fault, fault.count ? fault.count : INT64_MAX}); return;
    case Act::kFlush:
      port->flushNever = fault.never;
      port->flushDelay = fault.by;
      return;
    case Act::kGidChange:
    case Act::kGidRemove: return changeGid(fault, port);
    default: return;
  }
}

void FaultEngine::undo(const Fault& fault) {
  for (Port* port : targets(fault)) {
    switch (fault.act) {
      case Act::kPortDown: setLink(port, true, fault.event); break;
      case Act::kPortUp: setLink(port, false, fault.event); break;
      case Act::kBlackHole: port->holeIn = port->holeOut = false; break;
      case Act::kSlow: port->factor = 1; break;
      case Act::kLoss: port->loss = port->spec->loss; break;
      case Act::kCompleteWith: port->endings = 0; break;
      case Act::kFlush: port->flushNever = false, port->flushDelay = 0; break;
      case Act::kLate:
      case Act::kAckWithoutPlacing:
      case Act::kReorder:
        std::erase_if(port->rules, [&](const PacketRule& r) { return r.fault.act == fault.act; });
        break;
      default: break;
    }
  }
}

void FaultEngine::setLink(Port* port, bool up, bool event) {
  if (port->admin == up) return;
  const bool before = port->active();
  port->admin = up;
  if (!up) port->brokenSince = world_->now(), port->linkDowns++;
  if (event && before != port->active())
    port->device->raisePortEvent(*port, up ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR);
  if (port->cable) setCarrier(port->cable, up, event);
}

void FaultEngine::setCarrier(Port* port, bool up, bool event) {
  const bool before = port->active();
  port->carrier = up;
  if (!up) port->brokenSince = world_->now(), port->linkDowns++;
  if (event && before != port->active())
    port->device->raisePortEvent(*port, up ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR);
}

// An index that is removed stays empty while queue pairs may refer to it; an address that comes (back) takes the
// first free index after it, as was seen of the kernel.
void FaultEngine::changeGid(const Fault& fault, Port* port) {
  const auto index = static_cast<size_t>(fault.gidIndex);
  if (index >= port->gids.size()) return;
  const GidSpec old = port->gids[index].spec;
  port->gids[index].valid = false;
  if (fault.act == Act::kGidChange) {
    GidSpec fresh = old;
    if (fault.gid.global.subnet_prefix || fault.gid.global.interface_id) fresh.gid = fault.gid;
    port->gids.push_back({fresh, true});
  }
  if (fault.event) port->device->raisePortEvent(*port, IBV_EVENT_GID_CHANGE);
}

void FaultEngine::removeDevice(Device* device) {
  device->removed = true;
  ibv_async_event event{};
  event.event_type = IBV_EVENT_DEVICE_FATAL;
  for (Context* context : device->contexts) raise(context, event);
  std::vector<uint64_t> uids;
  for (const auto& [qpn, qp] : device->qps) uids.push_back(qp->uid);
  std::sort(uids.begin(), uids.end());
  for (const uint64_t uid : uids) breakQp(world_->findUid(uid));
  for (Port* port : device->ports) port->brokenSince = world_->now();
}

}  // namespace polyrail::emu
