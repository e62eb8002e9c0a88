// SPDX-License-Identifier: Apache-2.0
#include "net/plugin/context.h"

#include <sys/random.h>

#include <algorithm>

namespace polyrail::net {
namespace {

constexpr int64_t kMs = 1'000'000;

}  // namespace

int Context::trafficClassOr(int trafficClass) const {
  return trafficClass != nccl::kNetUndefined ? trafficClass : trafficClass_;
}

HandshakeOptions Context::handshakeOptions(int device, int trafficClass) const {
  HandshakeOptions o;
  o.clock = &library_.clock();
  o.timeoutNs = handshakeTimeoutNs();
  o.mismatchIsError = library_.settings().connect.policyMismatchIsError;
  o.greeting = library_.greeting();
  o.pairing.subnetBits = library_.settings().device.subnetPrefixBits;
  if (const NodeDevice* d = node_.device(device)) o.pairing.queuePairs = library_.queuePairs(*d);
  o.trafficClass = std::clamp(trafficClassOr(trafficClass), -1, 255);
  o.pairing.first = comms_.load(std::memory_order_relaxed);
  return o;
}

Result<CommOptions> Context::commOptions(int device, int trafficClass) {
  const NodeDevice* d = node_.device(device);
  if (!d) return Status::error("there is no device " + std::to_string(device));
  const std::vector<int> ports = library_.railPorts(*d);
  Result<std::vector<LocalRail>> rails = library_.rails(*d, ports);
  if (!rails.ok()) return rails.status();
  CommOptions o;
  o.verbs = &library_.verbs();
  o.clock = &library_.clock();
  o.rails = std::move(rails).value();
  o.standbys = static_cast<unsigned>(ports.size() - d->ports.size());
  o.borrow = library_.settings().data.borrow;
  o.subnetBits = library_.settings().device.subnetPrefixBits;
  o.path = pathSettings(library_.settings().data, trafficClassOr(trafficClass));
  o.times = repairTimes(library_.settings().data);
  o.refresh = [&library = library_, ports](unsigned rail) { return library.refreshed(ports[rail]); };
  o.largestChunk = hints_.largestChunk();
  o.flush = library_.settings().data.flush && (d->ptrSupport & ~nccl::kPtrHost) != 0;
  if (getrandom(&o.seed, sizeof o.seed, GRND_NONBLOCK) != sizeof o.seed)
    o.seed = static_cast<uint64_t>(library_.clock().nowNs());
  return o;
}

Result<std::unique_ptr<CommEnd>> Context::finish(int device, CommEnd::Parts parts, Handshake& handshake) {
  std::vector<int> ports = library_.railPorts(*node_.device(device));
  ports.resize(parts.send ? parts.send->localRails().size() : parts.recv->localRails().size());
  parts.rails = library_.memoryRails(ports);
  parts.peer = handshake.peer();
  parts.shownPeer = {handshake.peerHost(), handshake.peerAddress(), handshake.peerProcess(),
                     static_cast<uint32_t>(device)};
  parts.channel = handshake.takeChannel();
  parts.log = log_;
  parts.profile = profile_;
  parts.device = device;
  if (!handshake.warning().empty())
    log_.warn("%s differs in %s; ranks that tune differently hang", parts.peer.c_str(), handshake.warning().c_str());
  library_.sayOfBonds(*node_.device(device));
  comms_.fetch_add(1, std::memory_order_relaxed);
  return CommEnd::create(library_, std::move(parts));
}

int64_t Context::handshakeTimeoutNs() const { return library_.settings().connect.handshakeTimeoutMs * kMs; }

Status Context::dial(Dial& d) {
  Result<CommOptions> options = commOptions(d.device, d.trafficClass);
  if (!options.ok()) return options.status();
  Result<std::unique_ptr<Stream>> stream = library_.wire().dial(d.handle.address);
  if (!stream.ok()) return stream.status();
  d.handshake = std::make_unique<SendHandshake>(handshakeOptions(d.device, d.trafficClass), d.handle.secret,
                                                Channel(std::move(stream).value()), std::move(options).value());
  return {};
}

Verdict Context::opened(Dial& d, std::unique_ptr<CommEnd>* end) {
  CommEnd::Parts parts;
  parts.send = d.handshake->takeComm();
  Result<std::unique_ptr<CommEnd>> made = finish(d.device, std::move(parts), *d.handshake);
  if (!made.ok()) return {Outcome::kSystemError, made.message()};
  *end = std::move(made).value();
  return {};
}

// As NCCL does (src/misc/socket.cc, 2.30.7), each time after a longer pause, but not beyond the deadline.
bool Context::mayRetry(Dial& d) {
  const ConnectSettings& s = library_.settings().connect;
  if (!d.handshake->unreachable() || d.attempts >= s.socketRetries) return false;
  d.notBefore = library_.clock().nowNs() + ++d.attempts * s.socketRetryMs * kMs;
  return d.notBefore < d.begun + handshakeTimeoutNs();
}

Verdict Context::advance(Dial& d, std::unique_ptr<CommEnd>* end) {
  if (!d.handshake) {
    if (library_.clock().nowNs() < d.notBefore) return {};
    if (const Status s = dial(d); !s.ok()) return {Outcome::kSystemError, s.message()};
  }
  const Result<bool> done = d.handshake->advance();
  if (done.ok()) return done.value() ? opened(d, end) : Verdict();
  if (!mayRetry(d)) return {d.handshake->outcome(), done.message()};
  d.handshake.reset();
  return {};
}

Verdict Context::connect(int device, const void* handle, int trafficClass, std::unique_ptr<CommEnd>* end) {
  const Result<Handle> peer = readHandle(handle);
  if (!peer.ok()) return {Outcome::kInvalidUsage, peer.message()};
  const std::shared_ptr<Dial> dial = dials_.at(handle, peer.value(), device, library_.clock().nowNs());
  dial->trafficClass = trafficClass;
  Verdict verdict = advance(*dial, end);
  if (*end || verdict.outcome != Outcome::kOk) dials_.end(handle);
  endAbandoned();
  return verdict;
}

void Context::endAbandoned() { dials_.takeAbandoned(library_.clock().nowNs() - handshakeTimeoutNs()); }

}  // namespace polyrail::net
