// SPDX-License-Identifier: Apache-2.0
#include "test/unit/net-data/rig.h"

#include <fcntl.h>

#include <algorithm>
#include <cstring>

namespace polyrail::net {
namespace {

emu::Fabric fabricOf(const RigOptions& o) {
  emu::Fabric fabric;
  fabric.segment = o.segment;
  fabric.profile = emu::findProfile(o.profile);
  double fastest = 0;
  for (const auto* side : {&o.senderGbps, &o.receiverGbps})
    for (const double gbps : *side) fastest = std::max(fastest, gbps);
  for (const auto* side : {&o.senderGbps, &o.receiverGbps}) {
    emu::HostSpec host;
    host.name = fabric.hosts.empty() ? "a" : "b";
    for (const double gbps : *side) {
      emu::NicSpec nic;
      nic.ports.resize(1);
      nic.eceOptions = fabric.hosts.empty() ? o.senderEce : o.receiverEce;
      nic.ports[0].rate = static_cast<int64_t>(gbps * 1e9);
      nic.ports[0].speed = static_cast<int64_t>((o.announceEqual ? fastest : gbps) * 1e9);
      nic.ports[0].latency = o.latencyNs;
      host.nics.push_back(nic);
    }
    fabric.hosts.push_back(host);
  }
  emu::completeFabric(&fabric);
  return fabric;
}

// The IPv4 address of RoCE v2: of those that a fault has changed, the latest, which comes last in the table. Asks for
// `most` entries; each costs its host time.
uint8_t findGid(const Verbs& verbs, ibv_context* context, int most, ibv_gid* found) {
  uint8_t index = 0;
  ibv_gid gid;
  for (int i = 0; i < most; i++) {
    if (verbs.queryGid(context, 1, i, &gid) != 0 || gid.raw[10] != 0xff || gid.raw[11] != 0xff) continue;
    index = static_cast<uint8_t>(i);
    *found = gid;
  }
  return index;
}

}  // namespace

int64_t controlCalls(Rig& rig, bool sender) {
  using emu::Call;
  int64_t all = 0;
  for (const Call c :
       {Call::kCreateCq, Call::kRegMr, Call::kCreateQp, Call::kModifyQp, Call::kQueryQp, Call::kAllocPd})
    all += rig.sim().world().faults().calls(c, sender ? 0 : 1);
  return all;
}

emu::FaultScript faultList(const std::string& list) {
  auto script = emu::parseFaults("{\"faults\": " + list + "}", "test");
  return script.ok() ? script.value() : emu::FaultScript{};
}

Rig::Rig(const RigOptions& options)
    : verbs_(emu::emulatedVerbs()), sim_(std::make_unique<emu::Simulation>(fabricOf(options), options.faults)) {
  open(true, options.mtu);
  open(false, options.mtu);
}

void Rig::open(bool sender, uint8_t mtu) {
  on(sender);
  int count = 0;
  ibv_device** list = verbs_.getDeviceList(&count);
  for (int i = 0; i < count; i++) {
    LocalRail rail;
    rail.context = verbs_.openDevice(list[i]);
    rail.pd = verbs_.allocPd(rail.context);
    ibv_gid gid{};
    rail.gidIndex = findGid(verbs_, rail.context, 4, &gid);
    std::memcpy(rail.info.gid.data(), &gid, sizeof gid);
    rail.info.mtu = mtu;
    rail.info.speedMbps = static_cast<uint32_t>(
        sim_->world().fabric().hosts[sender ? 0 : 1].nics[static_cast<size_t>(i)].ports[0].speed / 1'000'000);
    rail.info.name = std::string(verbs_.getDeviceName(list[i])) + ":1";
    rail.health = &health_[sender ? 0 : 1].emplace_back();
    rail.use = &uses_[sender ? 0 : 1].emplace_back();
    fcntl(rail.context->async_fd, F_SETFL, O_NONBLOCK);
    rails_[sender ? 0 : 1].push_back(rail);
  }
  verbs_.freeDeviceList(list);
}

bool Rig::takeEvents(bool sender) {
  bool any = false;
  ibv_async_event event;
  for (size_t i = 0; i < rails(sender).size(); i++) {
    RailHealth& health = health_[sender ? 0 : 1][i];
    while (verbs_.getAsyncEvent(rails(sender)[i].context, &event) == 0) {
      any = true;
      if (event.event_type == IBV_EVENT_DEVICE_FATAL) health.lost = true;
      if (event.event_type == IBV_EVENT_PORT_ERR) health.downs++;
      if (event.event_type == IBV_EVENT_PORT_ACTIVE) health.ups++;
      verbs_.ackAsyncEvent(&event);
    }
  }
  return any;
}

Result<LocalRail> Rig::refreshed(bool sender, unsigned rail) {
  on(sender);
  LocalRail now = rails(sender)[rail];
  ibv_port_attr port;
  if (queryPort(verbs_, now.context, now.port, &port) != 0 || port.state != IBV_PORT_ACTIVE)
    return Status::error(now.info.name + ": the port is down");
  ibv_gid gid{};
  now.gidIndex = findGid(verbs_, now.context, 64, &gid);
  std::memcpy(now.info.gid.data(), &gid, sizeof gid);
  return now;
}

void Rig::dropRegions() {
  for (ibv_mr* mr : regions_) verbs_.deregMr(mr);
  regions_.clear();
}

Rig::~Rig() {
  dropRegions();
  for (const bool sender : {true, false})
    for (const LocalRail& rail : rails(sender)) {
      verbs_.deallocPd(rail.pd);
      verbs_.closeDevice(rail.context);
    }
}

CommOptions Rig::options(bool sender) {
  CommOptions o;
  o.verbs = &verbs_;
  o.clock = &sim_->clock();
  o.rails = rails(sender);
  o.path.timeout = 14;
  o.seed = seed++;
  return o;
}

CommOptions Rig::optionsOn(bool sender, unsigned nic) {
  CommOptions o = options(sender);
  std::rotate(o.rails.begin(), o.rails.begin() + nic, o.rails.end());
  o.standbys = static_cast<unsigned>(o.rails.size() - 1);
  o.standby = true;
  return o;
}

MemoryKeys Rig::keys(bool sender, void* data, size_t size, bool device) {
  MemoryKeys keys;
  keys.address = reinterpret_cast<uint64_t>(data);
  keys.length = size;
  keys.device = device;
  for (size_t i = 0; i < rails(sender).size(); i++) {
    ibv_mr* mr = verbs_.regMr(rails(sender)[i].pd, data, size,
                              IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
    if (!mr) continue;
    keys.lkey[i] = mr->lkey;
    keys.rkey[i] = mr->rkey;
    regions_.push_back(mr);
  }
  return keys;
}

std::vector<PathPlan> pairRails(size_t senders, size_t receivers) {
  std::vector<PathPlan> plan;
  for (size_t i = 0; i < std::max(senders, receivers); i++)
    plan.push_back({static_cast<uint8_t>(i % senders), static_cast<uint8_t>(i % receivers)});
  return plan;
}

CommPair::CommPair(Rig& rig, const CommOptions& sender, const CommOptions& receiver, unsigned firstPath)
    : send(std::make_unique<SendComm>(sender)), recv(std::make_unique<RecvComm>(receiver)) {
  status = connect(rig, firstPath);
}

Status CommPair::connect(Rig& rig, unsigned firstPath) {
  std::vector<PathPlan> plan = pairRails(send->ownRails(), recv->ownRails());
  std::rotate(plan.begin(), plan.begin() + firstPath % plan.size(), plan.end());
  std::vector<RailInfo> infos[2];
  for (const LocalRail& rail : send->localRails()) infos[0].push_back(rail.info);
  for (const LocalRail& rail : recv->localRails()) infos[1].push_back(rail.info);
  const auto finish = [&](bool sender, auto&& step) -> Status {
    rig.on(sender);
    for (;;) {
      const int64_t before = controlCalls(rig, sender);
      const Result<bool> done = step();
      mostCallsAtOnce = std::max(mostCallsAtOnce, static_cast<int>(controlCalls(rig, sender) - before));
      if (!done.ok()) return done.status();
      if (done.value()) return {};
    }
  };
  if (Status s = recv->plan(plan); !s.ok()) return s;
  if (Status s = finish(false, [&] { return recv->prepare(); }); !s.ok()) return s;
  const std::vector<PathEnd> welcome = recv->describe();
  if (Status s = send->plan(plan); !s.ok()) return s;
  if (Status s = finish(true, [&] { return send->prepare(); }); !s.ok()) return s;
  if (Status s = finish(true, [&] { return send->join(infos[1], welcome); }); !s.ok()) return s;
  const std::vector<PathEnd> paths = send->describe();
  if (Status s = finish(false, [&] { return recv->join(infos[0], paths); }); !s.ok()) return s;
  send->open();
  return {};
}

Traffic::Traffic(Rig& rig, CommPair& pair, size_t size, unsigned slots, bool check)
    : rig_(rig),
      pair_(pair),
      size_(size),
      slots_(slots),
      check_(check),
      out_(size * slots + 1),
      in_(size * slots + 1),
      sends_(slots),
      receives_(slots),
      pattern_(size + kShift) {
  for (size_t i = 0; i < pattern_.size(); i++) pattern_[i] = static_cast<char>(i * 2654435761u >> 13);
  outKeys_ = rig.keys(true, out_.data(), out_.size());
  inKeys_ = rig.keys(false, in_.data(), in_.size());
}

// Every message is another piece of one pattern, so that neither a neighbour's nor an older message's bytes pass.
const char* Traffic::expected(uint64_t number) const { return pattern_.data() + number * 131 % kShift; }

void Traffic::fill(uint64_t number) { std::memcpy(slotOf(out_, number), expected(number), size_); }

bool Traffic::verify(uint64_t number) {
  char* at = slotOf(in_, number);
  const bool same = std::memcmp(at, expected(number), size_) == 0;
  if (!same) error_ = "message " + std::to_string(number) + " has other bytes than were sent";
  std::memset(at, 0, size_);
  return same;
}

bool Traffic::finished(Flight& flight, bool receiver, uint64_t number) {
  if (!flight.posted) return false;
  int done = 0, size = -1;
  const Outcome outcome = test(flight.request, &done, &size);
  if (outcome != Outcome::kOk) error_ = receiver ? pair_.recv->error() : pair_.send->error();
  if (!done) return false;
  flight.posted = false;
  if (static_cast<size_t>(size) != size_) error_ = "message " + std::to_string(number) + " has another size";
  return true;
}

bool Traffic::sendTurn() {
  bool any = false;
  rig_.on(true);
  while (sendDone_ < sent_ && finished(sends_[sendDone_ % slots_], false, sendDone_)) sendDone_++, any = true;
  while (sent_ < last_ && sent_ < sendDone_ + slots_ && sent_ < granted_) {
    Flight& flight = sends_[sent_ % slots_];
    if (check_) fill(sent_);
    const Outcome outcome = pair_.send->isend(slotOf(out_, sent_), size_, 7, outKeys_, &flight.request);
    if (outcome != Outcome::kOk) error_ = pair_.send->error();
    if (!flight.request) break;
    flight.posted = true;
    sent_++;
    any = true;
  }
  return any;
}

bool Traffic::receiveTurn() {
  bool any = false;
  rig_.on(false);
  while (received_ < granted_ && finished(receives_[received_ % slots_], true, received_)) {
    if (check_ && !verify(received_)) return false;
    received_++;
    any = true;
  }
  while (granted_ < last_ && granted_ < received_ + slots_) {
    Flight& flight = receives_[granted_ % slots_];
    void* data = slotOf(in_, granted_);
    const int tag = 7;
    const MemoryKeys* keys = &inKeys_;
    const Outcome outcome = pair_.recv->irecv(1, &data, &size_, &tag, &keys, &flight.request);
    if (outcome != Outcome::kOk) error_ = pair_.recv->error();
    if (!flight.request) break;
    flight.posted = true;
    granted_++;
    any = true;
  }
  return any;
}

bool Traffic::turn() {
  const bool received = receiveTurn();
  return sendTurn() || received;
}

}  // namespace polyrail::net
