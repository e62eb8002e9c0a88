// SPDX-License-Identifier: Apache-2.0
#include "net/connect/handshake.h"

namespace polyrail::net {

Handshake::Handshake(const HandshakeOptions& options, Channel channel, int64_t patienceNs)
    : options_(options),
      channel_(std::move(channel)),
      deadline_(options.clock->nowNs() + options.timeoutNs),
      patienceNs_(patienceNs) {}

void agreeOnRepair(uint64_t features, CommOptions* comm) {
  comm->failover = features & kFeatureFailover;
  comm->standby = comm->failover && (features & kFeatureStandby);
  if (comm->standby) return;
  comm->rails.resize(comm->rails.size() - comm->standbys);
  comm->standbys = 0;
}

std::string Handshake::peer() const { return channel_.peer() + (peerName_.empty() ? "" : " (" + peerName_ + ")"); }

Status Handshake::fail(Outcome outcome, const std::string& why) {
  outcome_ = outcome;
  return Status::error("handshake with " + peer() + ": " + why);
}

Status Handshake::late(const char* name) {
  return fail(Outcome::kRemoteError, std::string("no ") + name + " within " +
                                         std::to_string(options_.timeoutNs / 1'000'000) +
                                         " ms (POLYRAIL_HANDSHAKE_TIMEOUT); is the peer alive?");
}

Result<std::optional<Message>> Handshake::lost(const std::string& why) {
  unreachable_ = !heard_;
  return unreachable_ ? fail(Outcome::kRemoteError, why) : gone(why);
}

Result<std::optional<Message>> Handshake::gone(const std::string& why) {
  const int64_t now = options_.clock->nowNs();
  if (goneAt_ == 0) goneAt_ = now;
  if (now - goneAt_ < patienceNs_) return std::optional<Message>();
  return fail(Outcome::kRemoteError, why);
}

Result<std::optional<Message>> Handshake::expect(MessageType type, const char* name) {
  if (const Result<bool> sent = channel_.pump(); !sent.ok()) return lost(sent.message());
  Result<std::optional<Message>> received = channel_.receive();
  if (!received.ok()) return lost(received.message());
  const std::optional<Message>& message = received.value();
  heard_ |= message.has_value();
  if (!message) {
    if (channel_.ended()) return gone(std::string("it hung up before its ") + name);
    if (options_.clock->nowNs() > deadline_) return late(name);
    return received;
  }
  if (message->frame.type == type) return received;
  if (message->frame.type == MessageType::kRefused) {
    const Result<Refused> refused = decodeRefused(message->body);
    return fail(Outcome::kInvalidUsage, "it refused: " + (refused.ok() ? refused.value().reason : refused.message()));
  }
  return fail(Outcome::kRemoteError, std::string("it sent a message of type ") +
                                         std::to_string(static_cast<int>(message->frame.type)) + " in place of its " +
                                         name);
}

Status Handshake::compare(const Greeting& there) {
  peerHost_ = there.host;
  peerProcess_ = there.process;
  peerName_ = there.host + ", process " + std::to_string(there.process);
  const std::string differs = disagreement(options_.greeting, there);
  if (differs.empty()) return {};
  if (options_.mismatchIsError)
    return fail(Outcome::kInvalidUsage, "the ends differ in " + differs +
                                            "; ranks that tune differently hang. Make them equal, or set "
                                            "POLYRAIL_POLICY_MISMATCH=warn to go on");
  warning_ = differs;
  return {};
}

}  // namespace polyrail::net
