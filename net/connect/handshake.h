// SPDX-License-Identifier: Apache-2.0
// The handshake of docs/wire-protocol.md, chapter 3: two state machines that are turned by calling advance() again
// and again, from connect and accept. They never block, make at most kVerbsPerCall control verbs a call, and end: by
// success, by an error that names the peer and the step, or by the deadline. One owner, one thread at a time.
#pragma once

#include <memory>
#include <string>

#include "common/clock.h"
#include "net/connect/channel.h"
#include "net/connect/greeting.h"
#include "net/connect/pairing.h"
#include "net/data/recv_comm.h"
#include "net/data/send_comm.h"

namespace polyrail::net {

struct HandshakeOptions {
  const Clock* clock = nullptr;  // borrowed
  int64_t timeoutNs = 30'000'000'000;
  bool mismatchIsError = true;  // POLYRAIL_POLICY_MISMATCH
  Greeting greeting;
  PairingRules pairing;   // the receiver's rules hold
  int trafficClass = -1;  // that the sender's NCCL asks for, -1: none
};

// What of siblings is left in `comm` when the ends agreed on `features`.
void agreeOnRepair(uint64_t features, CommOptions* comm);

// What both sides do alike.
class Handshake {
 public:
  // Why the last advance() failed, for NCCL's result.
  Outcome outcome() const { return outcome_; }
  // The stream failed before the peer said a word: it may not listen yet, and another call may succeed.
  bool unreachable() const { return unreachable_; }
  // "10.0.0.2:4711 (node2, process 77)"
  std::string peer() const;
  // What the peer said of itself, and where its control channel is.
  const std::string& peerHost() const { return peerHost_; }
  uint32_t peerProcess() const { return peerProcess_; }
  const std::string& peerAddress() const { return channel_.peer(); }
  // What differs at the two ends, when that is only worth a warning.
  const std::string& warning() const { return warning_; }
  Channel takeChannel() { return std::move(channel_); }

 protected:
  Handshake(const HandshakeOptions& options, Channel channel, int64_t patienceNs);
  ~Handshake() = default;

  Status fail(Outcome outcome, const std::string& why);
  // The next message of this type; nothing: not yet. A REFUSED, another type or silence is an error.
  Result<std::optional<Message>> expect(MessageType type, const char* name);
  // The stream has ended: nothing yet, and an error once that was so for `patienceNs`.
  Result<std::optional<Message>> gone(const std::string& why);
  Status late(const char* name);
  // Policy and tuner of the two ends: an error, a warning, or nothing.
  Status compare(const Greeting& there);
  // Decodes a body, or fails with its place.
  template <typename T>
  Result<T> decoded(Result<T> body) {
    if (body.ok()) return body;
    return fail(Outcome::kRemoteError, body.message());
  }

  const HandshakeOptions options_;
  Channel channel_;
  Outcome outcome_ = Outcome::kOk;
  std::string warning_, peerName_, peerHost_;
  uint32_t peerProcess_ = 0;

 private:
  Result<std::optional<Message>> lost(const std::string& why);

  const int64_t deadline_, patienceNs_;
  int64_t goneAt_ = 0;
  bool heard_ = false, unreachable_ = false;
};

class SendHandshake : public Handshake {
 public:
  // `comm` is what the comm will be made of.
  SendHandshake(const HandshakeOptions& options, const Secret& secret, Channel channel, CommOptions comm);

  // True: the comm is open.
  Result<bool> advance();
  std::unique_ptr<SendComm> takeComm() { return std::move(comm_); }

 private:
  enum class Step { kWelcome, kPrepare, kJoin, kReady, kDone };
  Result<bool> onWelcome();
  Result<bool> onPrepare();
  Result<bool> onJoin();
  Result<bool> onReady();
  Result<bool> verbs(Result<bool> done, Step next);
  bool agreesOnEce() const;

  CommOptions commOptions_;
  std::unique_ptr<SendComm> comm_;
  Welcome welcome_;
  std::vector<RailInfo> remoteRails_;  // those of siblings last
  bool pathsSaid_ = false;
  Step step_ = Step::kWelcome;
};

class ReceiveHandshake : public Handshake {
 public:
  ReceiveHandshake(const HandshakeOptions& options, const Secret& secret, Channel channel);

  // True when a caller has shown the secret; until then it may be a stranger, whose errors are nobody's business and
  // who gets no comm. Cheap: no verbs.
  Result<bool> greet();
  // REQUIRES: greet() was true. What the sender's NCCL asks for, -1: none; NCCL tells the receiver nothing before
  // v11.
  int trafficClass() const { return hello_.trafficClass; }
  // REQUIRES: greet() was true, once. Then advance() until true: the comm is ready.
  void serve(CommOptions comm);
  bool served() const { return comm_ != nullptr; }
  Result<bool> advance();
  std::unique_ptr<RecvComm> takeComm() { return std::move(comm_); }

 private:
  enum class Step { kHello, kPlan, kPrepare, kPaths, kJoin, kReady, kDone };
  Result<bool> onPlan();
  Result<bool> onPrepare();
  Result<bool> onPaths();
  Result<bool> onJoin();
  Result<bool> onReady();
  Status refuse(Outcome outcome, const std::string& why);

  const Secret secret_;
  std::unique_ptr<RecvComm> comm_;
  Hello hello_;
  Paths paths_;
  Step step_ = Step::kHello;
};

}  // namespace polyrail::net
