// SPDX-License-Identifier: Apache-2.0
#include "test/emu/core/fault_engine.h"

#include "test/emu/core/qp.h"
#include "test/emu/core/world.h"

namespace polyrail::emu {
namespace {

bool isReply(const PacketHeader& h) { return h.kind != PacketKind::kRequest; }

bool matches(const PacketFilter& filter, const PacketHeader& h) {
  if (filter.op == "ack") return isReply(h);
  if (isReply(h)) return filter.op == "any";
  const auto size = static_cast<int64_t>(h.messageLength);
  if (size < filter.min || size > filter.max) return false;
  if (filter.op == "any" || filter.op == "data") return true;
  switch (h.opcode) {
    case IBV_WR_RDMA_WRITE: return filter.op == "write";
    case IBV_WR_RDMA_WRITE_WITH_IMM: return filter.op == "write_imm";
    case IBV_WR_SEND:
    case IBV_WR_SEND_WITH_IMM: return filter.op == "send";
    case IBV_WR_RDMA_READ: return filter.op == "read";
    default: return filter.op == "atomic";
  }
}

}  // namespace

FaultEngine::FaultEngine(World* world, FaultScript script) : world_(world) {
  for (Fault& fault : script) entries_.push_back({std::move(fault)});
}

Status FaultEngine::start() {
  for (size_t i = 0; i < entries_.size(); i++) {
    if (Status wrong = check(entries_[i].fault, i); !wrong.ok()) return wrong;
    schedule(i);
  }
  for (const auto& [a, b] : world_->fabric().cables)
    if (!world_->port(a) || !world_->port(b)) return Status::error("cables: no port " + a + " or no port " + b);
  return Status();
}

Status FaultEngine::add(Fault fault) {
  entries_.push_back({std::move(fault)});
  if (Status wrong = check(entries_.back().fault, entries_.size() - 1); !wrong.ok()) {
    entries_.pop_back();
    return wrong;
  }
  schedule(entries_.size() - 1);
  return Status();
}

Status FaultEngine::check(const Fault& fault, size_t index) const {
  const std::string place = "faults[" + std::to_string(index) + "]: ";
  if (fault.act != Act::kFail && fault.act != Act::kDelay && targets(fault).empty())
    return Status::error(place + "nothing is called '" + fault.target + "'; say host, host/nic or host/nic/port");
  if (fault.when == When::kBytes && !world_->port(fault.watch))
    return Status::error(place + "no port '" + fault.watch + "' to count the bytes of");
  if (!fault.callHost.empty() && world_->host(fault.callHost) < 0)
    return Status::error(place + "no host '" + fault.callHost + "'");
  return Status();
}

void FaultEngine::schedule(size_t index) {
  counts_.resize(world_->fabric().hosts.size());
  const Fault& fault = entries_[index].fault;
  if (fault.when == When::kBytes) byteFaults_++;
  if (fault.when == When::kCall) callFaults_++;
  if (fault.when == When::kTime) world_->at(world_->now() + fault.at, onTime, this, index);
}

void FaultEngine::onTime(void* self, uint64_t index) {
  auto& engine = *static_cast<FaultEngine*>(self);
  engine.entries_[index].done = true;
  engine.play(Fault(engine.entries_[index].fault));
}

CallVerdict FaultEngine::onCall(Call call, int host) {
  CallVerdict verdict;
  counts_.resize(world_->fabric().hosts.size());
  const int64_t count = ++counts_[static_cast<size_t>(host)][static_cast<size_t>(call)];
  if (callFaults_ == 0) return verdict;
  for (size_t i = 0; i < entries_.size(); i++) {
    const Fault& f = entries_[i].fault;
    const bool here = f.callHost.empty() || world_->host(f.callHost) == host;
    if (f.when != When::kCall || f.call != call || !here || count < f.nth) continue;
    const bool repeats = f.act == Act::kFail || f.act == Act::kDelay;
    if (repeats ? f.count > 0 && entries_[i].used >= f.count : entries_[i].done) continue;
    entries_[i].used++;
    entries_[i].done = true;
    if (f.act == Act::kFail) verdict.error = f.error;
    if (f.act == Act::kDelay) verdict.delay += f.by;
    if (!repeats) play(Fault(f));
  }
  return verdict;
}

int64_t FaultEngine::calls(Call call, int host) const {
  return counts_.empty() ? 0 : counts_[static_cast<size_t>(host)][static_cast<size_t>(call)];
}

void FaultEngine::onBytes(Port* port) {
  for (size_t i = 0; i < entries_.size(); i++) {
    Entry& entry = entries_[i];
    if (entry.fault.when != When::kBytes || entry.done || world_->port(entry.fault.watch) != port) continue;
    if (static_cast<int64_t>(port->sentBytes) < entry.fault.bytes) continue;
    entry.done = true;
    play(Fault(entry.fault));
  }
}

bool FaultEngine::holds(Port* from, Packet* packet) {
  for (PacketRule& rule : from->rules) {
    if (rule.fault.act != Act::kLate) continue;
    if (rule.left > 0 && matches(rule.fault.filter, packet->header)) {
      rule.left--;
      world_->keepPayload(packet);
      packet->held = rule.fault.forcePsn;
      packet->header.arrival = world_->now() + rule.fault.by;
      rule.cutUid = packet->header.sourceUid;
      rule.cutUntil = packet->header.arrival;
      world_->arrive(packet);
      return true;
    }
    if (rule.fault.cut && rule.cutUid == packet->header.sourceUid && world_->now() < rule.cutUntil) {
      from->lostPackets += packet->header.packets;
      world_->release(packet);
      return true;
    }
  }
  return false;
}

const Fault* FaultEngine::onPlacement(Port* port, const Packet& packet) {
  for (PacketRule& rule : port->rules) {
    if (rule.fault.act == Act::kLate || rule.left == 0 || !matches(rule.fault.filter, packet.header)) continue;
    if (packet.header.last && rule.left != INT64_MAX) rule.left--;  // counts messages
    return &rule.fault;
  }
  return nullptr;
}

std::vector<Port*> FaultEngine::targets(const Fault& fault) const {
  std::vector<Port*> found;
  const int host = world_->host(fault.target);
  const Device* device = world_->device(fault.target);
  Port* single = device ? nullptr : world_->port(fault.target);
  for (const auto& port : world_->ports())
    if (port.get() == single || port->device == device || port->device->host == host) found.push_back(port.get());
  return found;
}

void FaultEngine::play(const Fault& fault) {
  played_.push_back(std::to_string(world_->now()) + " " + fault.target + " " +
                    std::to_string(static_cast<int>(fault.act)));
  world_->trace.add(world_->now(), "fault", static_cast<uint64_t>(fault.act));
  if (fault.act == Act::kHostDeath) return world_->killHost(targets(fault).front()->device->host);
  if (fault.act == Act::kDeviceRemoval) {
    for (Port* port : targets(fault))
      if (!port->device->removed) removeDevice(port->device);
    return;
  }
  for (Port* port : targets(fault)) playOnPort(fault, port);
  if (fault.lasting == 0) return;
  undos_.push_back(fault);
  world_->at(world_->now() + fault.lasting, onEnd, this, undos_.size() - 1);
}

void FaultEngine::onEnd(void* self, uint64_t index) {
  auto& engine = *static_cast<FaultEngine*>(self);
  engine.undo(Fault(engine.undos_[index]));
}

}  // namespace polyrail::emu
