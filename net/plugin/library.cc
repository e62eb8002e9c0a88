// SPDX-License-Identifier: Apache-2.0
#include "net/plugin/library.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <mutex>

#include "net/device/distance.h"
#include "net/device/enumerate.h"
#include "net/device/limits.h"
#include "net/device/refresh.h"
#include "net/device/siblings.h"
#include "net/plugin/showing.h"

namespace polyrail::net {
namespace {

// Constant-initialised and without destructors, so that loading and unloading run no code for them.
constinit Mutex gMutex;
constinit Library* gLibrary = nullptr;  // guarded by gMutex, as
constinit unsigned gUsers = 0;

constexpr int kLookAgainMs = 100;
constexpr int kMostQueuePairs = 16;  // the most that NCCL_IB_QPS_PER_CONNECTION may say

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : " ") + w;
  return text;
}

Status noPort(const Enumeration& found) {
  std::string why;
  for (const RefusedPort& r : found.refused)
    why += (why.empty() ? ": " : "; ") + r.name + ": " + r.reason + (r.remedy.empty() ? "" : " (" + r.remedy + ")");
  return Status::error("no NIC port is usable" + (why.empty() ? std::string(": verbs shows none") : why) +
                       "; `polyrail rails` shows more");
}

}  // namespace

Result<Library*> Library::acquire(const Log& log) {
  const std::lock_guard lock(gMutex);
  if (!gLibrary) {
    std::unique_ptr<Library> made(new Library(log));
    if (const Status s = made->start(); !s.ok()) return s;
    gLibrary = made.release();
  }
  gUsers++;
  return gLibrary;
}

void Library::release() {
  const std::lock_guard lock(gMutex);
  if (gUsers == 0 || --gUsers > 0) return;
  delete gLibrary;
  gLibrary = nullptr;
}

Library::~Library() {
  stopControl();
  reports_.sayCounts(log_, true);
  events_.clear();
  devices_.clear();
  closeMlx5(mlx5_);
  closeVerbs(verbs_);
}

void Library::stopControl() {
  thread_.stop();
  if (board_) endBoard(*board_, settings_.telemetry, log_);
}

Status Library::start() {
  settings_ = readNetSettings();
  for (const std::string& problem : settings_.problems) log_.warn("%s", problem.c_str());
  if (settings_.device.disabled) return Status::error("NCCL_IB_DISABLE is set");
  Result<VerbsLibrary> verbs = loadVerbs(settings_.device.verbsLibrary);
  if (!verbs.ok()) return verbs.status();
  verbs_ = std::move(verbs).value();
  if (hasMlx5Nics(root_)) {
    mlx5_ = loadMlx5();
    if (!mlx5_.absent.empty()) log_.info("no data-direct, no choice of a bond's cables: %s", mlx5_.absent.c_str());
  }
  for (const auto step : {&Library::findNics, &Library::openNics, &Library::openControl})
    if (Status s = (this->*step)(); !s.ok()) return s;
  greeting_ = ownGreeting();
  if (settings_.data.failover) greeting_.features |= kFeatureFailover;
  if (settings_.data.failover && settings_.data.standby > 0) greeting_.features |= kFeatureStandby;
  if (std::any_of(ports_.begin(), ports_.end(), [](const Port& p) { return p.adaptiveRouting; }))
    greeting_.features |= kFeatureOutOfOrder;
  widenLimits();
  board_ = makeBoard(settings_.telemetry, ports_, greeting_, log_, clock_.nowNs());
  say();
  return thread_.start(*reactor_, this);
}

Status Library::findNics() {
  Result<Enumeration> found = enumerate(verbs_.verbs, root_, settings_.device, mlx5_.mlx5);
  if (!found.ok()) return found.status();
  for (const std::string& warning : found.value().warnings) log_.warn("%s", warning.c_str());
  if (found.value().ports.empty()) return noPort(found.value());
  for (const RefusedPort& r : found.value().refused)  // a rail that is missing must not be a riddle
    log_.info("not used: %s: %s%s%s", r.name.c_str(), r.reason.c_str(), r.remedy.empty() ? "" : "; ",
              r.remedy.c_str());
  ports_ = std::move(found).value().ports;
  // By default only ports of one card are fused, and for that /sys is enough.
  const bool wide = settings_.device.mergeLevel > Distance::kPort;
  locality_ = wide ? findLocality(ports_, root_) : sysfsLocality(ports_);
  if (wide) log_.info("distances between NICs by %s", locality_.source.c_str());
  byNccl_ = std::make_unique<Node>(ports_, settings_.device, Node::Fusion::kByNccl, locality_);
  byUs_ = std::make_unique<Node>(ports_, settings_.device, Node::Fusion::kByUs, locality_);
  return {};
}

Status Library::openNics() {
  for (const Port& port : ports_) {
    Result<std::shared_ptr<OpenDevice>> device = OpenDevice::open(verbs_.verbs, port.device);
    if (!device.ok()) return device.status();
    devices_.push_back(std::move(device).value());
  }
  return {};
}

// A connection holds a socket, and the usual soft limit of 1,024 files is soon reached.
void Library::widenLimits() {
  const uint64_t before = readProcessLimits().files;
  const uint64_t now = raiseFileLimit();
  if (now != before) log_.info("open files: limit raised from %" PRIu64 " to %" PRIu64, before, now);
  for (const std::string& line : limitProblems(readProcessLimits(), ports_, {})) log_.warn("%s", line.c_str());
}

Status Library::openControl() {
  const Result<Interface> interface =
      chooseInterface(listInterfaces(), {settings_.connect.socketInterfaces, settings_.connect.socketFamily});
  if (!interface.ok()) return interface.status();
  wire_ = std::make_unique<TcpWire>(interface.value(), settings_.connect);
  Result<std::unique_ptr<Reactor>> reactor = Reactor::create();
  if (!reactor.ok()) return reactor.status();
  reactor_ = std::move(reactor).value();
  for (size_t i = 0; i < devices_.size(); i++) {
    if (std::find(devices_.begin(), devices_.begin() + static_cast<ptrdiff_t>(i), devices_[i]) !=
        devices_.begin() + static_cast<ptrdiff_t>(i))
      continue;  // another port of a NIC that is watched
    events_.push_back(std::make_unique<RailEvents>(devices_[i], log_, settings_.data.fatalEvents ? &all_ : nullptr,
                                                   reactor_.get()));
    if (Status s = reactor_->watch(devices_[i]->asyncFd(), events_.back().get()); !s.ok()) return s;
  }
  problems_.resize(ports_.size());
  return {};
}

void Library::say() const {
  std::string rails;
  for (const Port& p : ports_)
    rails += " " + p.name() + " (" + std::to_string(p.speedMbps / 1000) + " Gb/s, " + p.gid.why + ")";
  const GpuDirect& gdr = ports_[0].gpuDirect;
  log_.info("version " POLYRAIL_VERSION ": %zu rails:%s; GPUDirect %s: %s; control by %s %s", ports_.size(),
            rails.c_str(), gdr.dmaBuf || gdr.peermem ? "on" : "off", gdr.why.c_str(), wire_->interface().name.c_str(),
            text(wire_->interface().address).c_str());
  if (board_ && !board_->fileName().empty()) log_.info("telemetry in %s (polyrail top)", board_->fileName().c_str());
  if (!settings_.honoured.empty()) log_.info("set: %s", joined(settings_.honoured).c_str());
  for (const std::string& ignored : settings_.ignored) log_.info("%s", ignored.c_str());
}

// Addresses come and go; an index that was right at init may hold another's now. The lock is not held while files are
// read.
bool Library::lookAgain(size_t port) {
  Port now;
  {
    const std::lock_guard lock(portsMutex_);
    now = ports_[port];
  }
  const Status found = refreshPort(verbs_.verbs, devices_[port]->context(), root_, settings_.device, &now);
  if (!found.ok() && problems_[port].ok())  // nobody else writes there
    log_.warn("%s; new connections fail until that changes", found.message().c_str());
  const std::lock_guard lock(portsMutex_);
  ports_[port] = std::move(now);
  problems_[port] = found;
  return found.ok();
}

// With the first connection, for what was before does not matter to it.
void Library::beginCounting() {
  if (counting_ || !endsAlive()) return;
  counting_ = true;
  for (const Port& port : ports_) reports_.beginCounting(port.device, port.number);
}

void Library::showRails() {
  const int64_t now = clock_.nowNs();
  if (!board_->isDue(now)) return;
  for (size_t i = 0; i < devices_.size(); i++) {
    const RailHealth& health = devices_[i]->health(ports_[i].number);
    const bool lost = health.lost.load(std::memory_order_acquire), down = health.down.load(std::memory_order_acquire);
    board_->setRail(static_cast<uint32_t>(i),
                    lost   ? RailState::kLost
                    : down ? RailState::kDown
                           : RailState::kUp,
                    health.downs.load(std::memory_order_relaxed), health.ups.load(std::memory_order_relaxed));
  }
  for (const SlowRails::Verdict& v : slow_.judge(board_->turn(now))) {
    board_->setSlow(static_cast<uint32_t>(v.rail), v.slow);
    v.slow ? log_.warn("%s", v.text.c_str()) : log_.info("%s", v.text.c_str());
  }
}

// What was not whole yet, because the kernel had told before it was done, is looked at again without an event.
int Library::betweenTurns() {
  if (board_) showRails();
  bool whole = true;
  beginCounting();
  const int counts = reports_.sayCounts(log_);
  for (const auto& events : events_) {
    if (events->lost()) continue;
    const bool stale = events->takeStale();
    for (size_t i = 0; i < devices_.size(); i++)
      if (devices_[i].get() == &events->device() && (stale || !problems_[i].ok())) whole &= lookAgain(i);
  }
  return whole ? counts : kLookAgainMs;
}

std::vector<int> Library::railPorts(const NodeDevice& device) const {
  std::vector<int> ports = device.ports;
  if (!settings_.data.failover) return ports;
  const size_t most = std::min(static_cast<size_t>(settings_.data.standby), kMaxRails - ports.size());
  const std::vector<int> siblings = siblingsOf(device.ports, byNccl_->ports(), locality_, most);
  ports.insert(ports.end(), siblings.begin(), siblings.end());
  return ports;
}

// REQUIRES: portsMutex_.
Status Library::usable(size_t port) const {
  for (const auto& events : events_)
    if (&events->device() == devices_[port].get() && events->lost())
      return Status::error(ports_[port].name() + ": the NIC reported a fatal error");
  return problems_[port];
}

Result<std::vector<LocalRail>> Library::rails(const NodeDevice& device, std::span<const int> ports) {
  const std::lock_guard lock(portsMutex_);
  std::vector<LocalRail> rails;
  for (const int index : ports) {
    const size_t i = static_cast<size_t>(index);
    const Status now = usable(i);
    if (!now.ok() && rails.size() < device.ports.size()) return now;
    rails.push_back(localRail(*devices_[i], ports_[i], mlx5_.mlx5));
  }
  return rails;
}

Result<LocalRail> Library::refreshed(int index) {
  const size_t i = static_cast<size_t>(index);
  Port port;
  {
    const std::lock_guard lock(portsMutex_);
    port = ports_[i];
  }
  ibv_port_attr now{};
  if (const int error = queryPort(verbs_.verbs, devices_[i]->context(), port.number, &now))
    return Status::error(port.name() + ": the port cannot be asked: " + std::strerror(error));
  if (now.state != IBV_PORT_ACTIVE) return Status::error(port.name() + ": the port is not active");
  if (Status s = refreshPort(verbs_.verbs, devices_[i]->context(), root_, settings_.device, &port); !s.ok()) return s;
  const std::lock_guard lock(portsMutex_);
  ports_[i] = port;
  return localRail(*devices_[i], port, mlx5_.mlx5);
}

int Library::queuePairs(const NodeDevice& device) {
  const std::lock_guard lock(portsMutex_);
  int wished = settings_.data.queuePairsPerPath, offered = kMostQueuePairs;
  for (const int index : device.ports) {
    const std::optional<Bond>& bond = ports_[static_cast<size_t>(index)].bond;
    if (bond && !settings_.data.queuePairsAsked) wished = std::max(wished, static_cast<int>(bond->members.size()));
  }
  for (const int index : device.ports) {
    Ledger& ledger = devices_[static_cast<size_t>(index)]->queuePairs();
    offered = std::min(offered, static_cast<int>(ledger.offer(wished, 1)));
    if (ledger.scarceForTheFirstTime()) log_.warn("%s", ledger.scarcity().c_str());
  }
  return offered;
}

void Library::sayOfBonds(const NodeDevice& device) {
  for (const int index : device.ports) {
    const OpenDevice& nic = *devices_[static_cast<size_t>(index)];
    if (const int error = nic.slaves().takeError())
      log_.info(
          "%s: its queue pairs cannot be placed on the cables of its bond: %s; the bond's hash does it, and two "
          "may share one while another is idle",
          nic.name().c_str(), std::strerror(error));
  }
}

std::vector<MemoryRail> Library::memoryRails(std::span<const int> ports) {
  const std::lock_guard lock(portsMutex_);
  std::vector<MemoryRail> rails;
  for (const int index : ports) {
    const size_t i = static_cast<size_t>(index);
    rails.push_back({devices_[i], registrationWays(ports_[i], mlx5_.mlx5)});
  }
  return rails;
}

}  // namespace polyrail::net
