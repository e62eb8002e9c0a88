// SPDX-License-Identifier: Apache-2.0
// The receiver: HELLO, then its queue pairs and WELCOME, then PATHS, then READY.
#include <algorithm>

#include "net/connect/handshake.h"

namespace polyrail::net {

ReceiveHandshake::ReceiveHandshake(const HandshakeOptions& options, const Secret& secret, Channel channel)
    : Handshake(options, std::move(channel), 0), secret_(secret) {}

void ReceiveHandshake::serve(CommOptions comm) {
  agreeOnRepair(options_.greeting.features & hello_.features, &comm);
  comm.outOfOrder = (options_.greeting.features | hello_.features) & kFeatureOutOfOrder;
  comm_ = std::make_unique<RecvComm>(comm);
}

// Best effort: whoever is refused may be gone already.
Status ReceiveHandshake::refuse(Outcome outcome, const std::string& why) {
  channel_.send(encode(Refused{why}));
  (void)channel_.pump();
  return fail(outcome, "refused it: " + why);
}

Result<bool> ReceiveHandshake::greet() {
  const auto message = expect(MessageType::kHello, "HELLO");
  if (!message.ok()) return message.status();
  if (!message.value()) return false;
  Result<Hello> hello = decoded(decodeHello(message.value()->body));
  if (!hello.ok()) return hello.status();
  hello_ = std::move(hello).value();
  if (hello_.secret != secret_) return fail(Outcome::kRemoteError, "it does not know the secret of this listener");
  step_ = Step::kPlan;
  return true;
}

Result<bool> ReceiveHandshake::advance() {
  switch (step_) {
    case Step::kPlan: return onPlan();
    case Step::kPrepare: return onPrepare();
    case Step::kPaths: return onPaths();
    case Step::kJoin: return onJoin();
    case Step::kReady: return onReady();
    case Step::kHello:
    case Step::kDone: break;
  }
  return step_ == Step::kDone;
}

Result<bool> ReceiveHandshake::onPlan() {
  if (hello_.lowest > kProtocolVersion || hello_.highest < kProtocolVersion)
    return refuse(Outcome::kRemoteError, "it speaks protocol versions " + std::to_string(hello_.lowest) + " to " +
                                             std::to_string(hello_.highest) + ", here is " +
                                             std::to_string(kProtocolVersion) +
                                             "; install one polyrail on all nodes");
  if (const Status same = compare(greetingIn(hello_)); !same.ok()) {
    channel_.send(encode(Refused{same.message()}));
    (void)channel_.pump();
    return same;
  }
  std::vector<RailInfo> mine;
  for (size_t r = 0; r < comm_->ownRails(); r++) mine.push_back(comm_->localRails()[r].info);
  const Result<std::vector<PathPlan>> plan = pairRails(hello_.rails, mine, options_.pairing);
  if (!plan.ok()) return refuse(Outcome::kInvalidUsage, plan.message());
  if (const Status planned = comm_->plan(plan.value()); !planned.ok())
    return refuse(Outcome::kSystemError, planned.message());
  step_ = Step::kPrepare;
  return false;
}

Result<bool> ReceiveHandshake::onPrepare() {
  const Result<bool> prepared = comm_->prepare();
  if (!prepared.ok()) return refuse(Outcome::kSystemError, prepared.message());
  if (!prepared.value()) return false;
  Welcome welcome;
  sign(&welcome, options_.greeting);
  welcome.version = kProtocolVersion;
  // Failover needs both; out-of-order placement needs care when either has it.
  welcome.features &= hello_.features;
  welcome.features |= (options_.greeting.features | hello_.features) & kFeatureOutOfOrder;
  for (size_t r = 0; r < comm_->localRails().size(); r++)
    (r < comm_->ownRails() ? welcome.rails : welcome.standbys).push_back(comm_->localRails()[r].info);
  welcome.paths = comm_->describe();
  channel_.send(encode(welcome));
  step_ = Step::kPaths;
  return false;
}

Result<bool> ReceiveHandshake::onPaths() {
  const auto message = expect(MessageType::kPaths, "PATHS");
  if (!message.ok()) return message.status();
  if (!message.value()) return false;
  Result<Paths> paths = decoded(decodePaths(message.value()->body));
  if (!paths.ok()) return paths.status();
  paths_ = std::move(paths).value();
  const std::vector<PathEnd> mine = comm_->describe();
  const auto samePath = [](const PathEnd& a, const PathEnd& b) {
    return a.senderRail == b.senderRail && a.receiverRail == b.receiverRail;
  };
  if (!std::equal(mine.begin(), mine.end(), paths_.paths.begin(), paths_.paths.end(), samePath))
    return fail(Outcome::kRemoteError, "its paths are not those of the plan");
  step_ = Step::kJoin;
  return false;
}

Result<bool> ReceiveHandshake::onJoin() {
  const Result<bool> joined = comm_->join(hello_.rails, paths_.paths);
  if (!joined.ok()) return refuse(Outcome::kSystemError, joined.message());
  if (!joined.value()) return false;
  channel_.send(encode(Ready{}));
  step_ = Step::kReady;
  return false;
}

Result<bool> ReceiveHandshake::onReady() {
  const Result<bool> sent = channel_.pump();
  if (!sent.ok()) return fail(Outcome::kRemoteError, sent.message());
  if (!sent.value()) return false;
  step_ = Step::kDone;
  return true;
}

}  // namespace polyrail::net
