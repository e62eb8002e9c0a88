// SPDX-License-Identifier: Apache-2.0
#include "test/emu/real/real_session.h"

#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "test/emu/real/sockets.h"

namespace polyrail::emu {
namespace {

constexpr int64_t kMaxSegment = 256 << 10;  // must fit into a ring with room to spare
constexpr Time kPollerNs = 100'000;         // a program that polled within this time turns the World itself
constexpr Time kGuardNs = 1'000'000;        // how long the thread relies on that
constexpr Time kBacklogNs = 50'000;         // when a full ring is tried again

RealSession* forked = nullptr;  // the process's only session

std::string fromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

Result<std::string> readFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return Status::error("cannot read " + path + ": " + std::strerror(errno));
  return text.str();
}

// Processes meet when user, fabric and EMU_SESSION agree.
std::string fabricName(const std::string& fabricText) {
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : fabricText + "\n" + fromEnvironment("EMU_SESSION"))
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  char name[48];
  std::snprintf(name, sizeof name, "%u-%016llx", getuid(), static_cast<unsigned long long>(hash));
  return name;
}

}  // namespace

Status RealSession::start() {
  std::string text;
  Fabric fabric = defaultFabric();
  if (const std::string path = fromEnvironment("EMU_FABRIC"); !path.empty()) {
    const Result<std::string> file = readFile(path);
    if (!file.ok()) return Status::error("EMU_FABRIC: " + file.message());
    text = file.value();
    Result<Fabric> parsed = parseFabric(text, path);
    if (!parsed.ok()) return Status::error("EMU_FABRIC: " + parsed.message());
    fabric = std::move(parsed).value();
  }
  FaultScript faults;
  if (const std::string path = fromEnvironment("EMU_FAULTS"); !path.empty()) {
    const Result<std::string> file = readFile(path);
    if (!file.ok()) return Status::error("EMU_FAULTS: " + file.message());
    Result<FaultScript> parsed = parseFaults(file.value(), path);
    if (!parsed.ok()) return Status::error("EMU_FAULTS: " + parsed.message());
    faults = std::move(parsed).value();
  }
  fabric.segment = std::min(fabric.segment, kMaxSegment);
  if (Status wrong = transport_.open(fabricName(text), !fromEnvironment("EMU_COPY").empty()); !wrong.ok())
    return wrong;
  return build(std::move(fabric), std::move(faults));
}

Status RealSession::build(Fabric fabric, FaultScript faults) {
  WorldOptions options;
  options.blocking = true;
  options.remote = &transport_;
  options.qpnBase = transport_.slot() << 16;
  options.qpnCount = (1u << 16) - 64;
  options.qpnFirst = static_cast<uint32_t>(getpid()) * 97;  // a process that takes over a slot uses other numbers
  world_ = std::make_unique<World>(std::move(fabric), std::move(faults), options);
  if (const std::string name = fromEnvironment("EMU_HOST"); !name.empty()) {
    host_ = world_->host(name);
    if (host_ < 0) return Status::error("EMU_HOST: no host is called '" + name + "' in the fabric");
  }
  world_->runUntil(monotonicNs());
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);  // so that the peers may read this process's memory (Yama)
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return world_->faults().start();
}

void RealSession::opened() {
  lock();
  if (!running_) {
    running_ = true;
    transport_.listen();
    forked = this;
    pthread_atfork(nullptr, nullptr, [] { forked->transport_.leave(); });
    std::thread([this] { run(); }).detach();  // lives to the end of the process
  }
  unlock();
}

void RealSession::turn() {
  transport_.receive(world_.get());
  const Time present = monotonicNs();
  world_->runUntil(present);
  transport_.answer(present);
}

void RealSession::lock() {
  mutex_.lock();
  turn();
}

// What a call set off happens before it returns, as far as it is due; then the thread is told if it must wake
// earlier.
void RealSession::unlock() {
  world_->runUntil(monotonicNs());
  const Time next = world_->nextEvent();
  next_.store(next, std::memory_order_release);
  const Time planned = planned_.load(std::memory_order_acquire);
  const bool relies = pollerActive() && planned < monotonicNs() + 2 * kGuardNs;
  const bool wake = running_ && next < planned && !relies;
  mutex_.unlock();
  const uint64_t one = 1;
  if (wake) (void)!write(wake_, &one, sizeof one);
}

bool RealSession::due() {
  const Time now = monotonicNs();
  polled_.store(now, std::memory_order_relaxed);
  return next_.load(std::memory_order_acquire) <= now || transport_.pending();
}

bool RealSession::pollerActive() const { return monotonicNs() - polled_.load(std::memory_order_relaxed) < kPollerNs; }

int64_t RealSession::presentNs() { return monotonicNs(); }

void RealSession::pause(int, Time delay) {
  unlock();
  usleep(static_cast<useconds_t>(delay / 1000));
  lock();
}

Time RealSession::planSleep() {
  Time until = std::min(world_->nextEvent(), monotonicNs() + 1'000'000'000);
  if (transport_.backlog()) until = std::min(until, monotonicNs() + kBacklogNs);
  const bool relies = pollerActive();
  if (relies) until = monotonicNs() + kGuardNs;  // not longer: peers do not wake a thread that relies on a poller
  transport_.announceSleep(!relies);
  if (!relies && transport_.pending()) until = 0;
  planned_.store(until, std::memory_order_release);
  return until;
}

// The NIC of this process: it answers peers and keeps time while the program does something else.
void RealSession::run() {
  prctl(PR_SET_NAME, "emulated-nic", 0, 0, 0);
  prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
  std::vector<pollfd> fds;
  for (;;) {
    lock();
    transport_.handle(fds);
    turn();
    fds.assign(1, {wake_, POLLIN, 0});
    transport_.collect(&fds);
    next_.store(world_->nextEvent(), std::memory_order_release);
    const Time until = planSleep();
    mutex_.unlock();
    const Time wait = std::max<Time>(0, until - monotonicNs());
    const timespec timeout = {wait / 1'000'000'000, wait % 1'000'000'000};
    ppoll(fds.data(), fds.size(), &timeout, nullptr);
    planned_.store(0, std::memory_order_release);
    uint64_t count;
    if (fds[0].revents) (void)!read(wake_, &count, sizeof count);
    fds.erase(fds.begin());
  }
}

Session* makeRealSession() {
  auto session = std::make_unique<RealSession>();
  const Status status = session->start();
  if (status.ok()) return session.release();
  std::fprintf(stderr, "polyrail-emu: %s\n", status.message().c_str());
  errno = EINVAL;
  return nullptr;
}

}  // namespace polyrail::emu
