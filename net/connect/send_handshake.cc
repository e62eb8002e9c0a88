// SPDX-License-Identifier: Apache-2.0
// The sender: HELLO, then WELCOME, then its queue pairs and PATHS, then READY.
#include "net/connect/handshake.h"

namespace polyrail::net {

namespace {

// For one shared comm NCCL tries several listeners at once (PXN; src/transport/net.cc, sendProxyConnect and
// recvProxyConnect). The receiver closes the others as soon as one is done, which it knows before we do; we are asked
// about that one within a round of NCCL's service thread, and about the others never again.
constexpr int64_t kPatienceNs = 2'000'000'000;

}  // namespace

SendHandshake::SendHandshake(const HandshakeOptions& options, const Secret& secret, Channel channel, CommOptions comm)
    : Handshake(options, std::move(channel), kPatienceNs), commOptions_(std::move(comm)) {
  Hello hello;
  hello.secret = secret;
  hello.trafficClass = static_cast<int16_t>(options.trafficClass);
  sign(&hello, options.greeting);
  const size_t own = commOptions_.rails.size() - commOptions_.standbys;
  for (size_t r = 0; r < own; r++) hello.rails.push_back(commOptions_.rails[r].info);
  channel_.send(encode(hello));
}

Result<bool> SendHandshake::advance() {
  switch (step_) {
    case Step::kWelcome: return onWelcome();
    case Step::kPrepare: return onPrepare();
    case Step::kJoin: return onJoin();
    case Step::kReady: return onReady();
    case Step::kDone: break;
  }
  return true;
}

Result<bool> SendHandshake::onWelcome() {
  const auto message = expect(MessageType::kWelcome, "WELCOME");
  if (!message.ok()) return message.status();
  if (!message.value()) return false;
  Result<Welcome> welcome = decoded(decodeWelcome(message.value()->body));
  if (!welcome.ok()) return welcome.status();
  welcome_ = std::move(welcome).value();
  if (welcome_.version != kProtocolVersion)
    return fail(Outcome::kRemoteError,
                "it chose protocol version " + std::to_string(welcome_.version) + ", which was not offered");
  if (const Status same = compare(greetingIn(welcome_)); !same.ok()) return same;
  agreeOnRepair(welcome_.features & options_.greeting.features, &commOptions_);
  commOptions_.outOfOrder = welcome_.features & kFeatureOutOfOrder;
  comm_ = std::make_unique<SendComm>(commOptions_);
  remoteRails_ = welcome_.rails;
  remoteRails_.insert(remoteRails_.end(), welcome_.standbys.begin(), welcome_.standbys.end());
  std::vector<PathPlan> plan;
  for (const PathEnd& path : welcome_.paths) {
    if (path.senderRail >= comm_->ownRails() || path.receiverRail >= welcome_.rails.size())
      return fail(Outcome::kRemoteError, "it planned a path for a rail that does not exist");
    plan.push_back({path.senderRail, path.receiverRail});
  }
  if (const Status planned = comm_->plan(plan); !planned.ok()) return fail(Outcome::kSystemError, planned.message());
  step_ = Step::kPrepare;
  return false;
}

Result<bool> SendHandshake::verbs(Result<bool> done, Step next) {
  if (!done.ok()) return fail(Outcome::kSystemError, done.message());
  if (done.value()) step_ = next;
  return false;
}

// Some path has ECE at both ends.
bool SendHandshake::agreesOnEce() const {
  const std::vector<PathEnd> mine = comm_->describe();
  for (size_t i = 0; i < mine.size() && i < welcome_.paths.size(); i++)
    if (mine[i].ece.vendor != 0 && mine[i].ece.vendor == welcome_.paths[i].ece.vendor) return true;
  return false;
}

// What both ends use of ECE is known once our queue pairs are connected; else the receiver connects its own
// meanwhile.
Result<bool> SendHandshake::onPrepare() {
  Result<bool> prepared = verbs(comm_->prepare(), Step::kJoin);
  if (!prepared.ok() || step_ != Step::kJoin || agreesOnEce()) return prepared;
  channel_.send(encode(Paths{comm_->describe()}));
  pathsSaid_ = true;
  return prepared;
}

Result<bool> SendHandshake::onJoin() {
  if (const Result<bool> sent = channel_.pump(); !sent.ok()) {
    const auto over = gone(sent.message());
    return over.ok() ? Result<bool>(false) : over.status();
  }
  Result<bool> joined = verbs(comm_->join(remoteRails_, welcome_.paths), Step::kReady);
  if (joined.ok() && step_ == Step::kReady && !pathsSaid_) channel_.send(encode(Paths{comm_->describe()}));
  return joined;
}

Result<bool> SendHandshake::onReady() {
  const auto message = expect(MessageType::kReady, "READY");
  if (!message.ok()) return message.status();
  if (!message.value()) return false;
  if (const Result<Ready> ready = decoded(decodeReady(message.value()->body)); !ready.ok()) return ready.status();
  comm_->open();
  step_ = Step::kDone;
  return true;
}

}  // namespace polyrail::net
