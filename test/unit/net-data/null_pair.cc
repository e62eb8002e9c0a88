// SPDX-License-Identifier: Apache-2.0
#include "test/unit/net-data/null_pair.h"

namespace polyrail::net {

NullPair::NullPair(unsigned rails, size_t bytes) : out_(bytes), in_(bytes) {
  CommOptions o;
  o.verbs = &verbs_;
  o.clock = &clock_;
  std::vector<RailInfo> infos;
  std::vector<PathPlan> plan;
  for (unsigned i = 0; i < rails; i++) {
    o.rails.push_back(null_verbs::rail(i));
    infos.push_back(o.rails.back().info);
    plan.push_back({static_cast<uint8_t>(i), static_cast<uint8_t>(i)});
  }
  send_ = std::make_unique<SendComm>(o);
  recv_ = std::make_unique<RecvComm>(o);
  const auto finish = [](auto&& step) {
    while (!step().value()) {
    }
  };
  if (!recv_->plan(plan).ok() || !send_->plan(plan).ok()) return;
  finish([&] { return recv_->prepare(); });
  finish([&] { return send_->prepare(); });
  const auto welcome = recv_->describe(), paths = send_->describe();
  finish([&] { return send_->join(infos, welcome); });
  finish([&] { return recv_->join(infos, paths); });
  send_->open();
}

bool NullPair::finish(unsigned flight, size_t size) {
  if (!sends_[flight] || !receives_[flight]) return false;
  int sent = 0, received = 0, bytes = 0;
  for (int tries = 0; tries < 1000 && !(sent && received); tries++) {
    if (!sent) test(sends_[flight], &sent, nullptr);
    if (!received) test(receives_[flight], &received, &bytes);
  }
  return sent && received && static_cast<size_t>(bytes) == size;
}

bool NullPair::move(unsigned messages, unsigned inFlight, size_t size) {
  void* to = in_.data();
  const MemoryKeys* keys = &keys_;
  const int tag = 3;
  for (unsigned i = 0; i < messages; i += inFlight) {
    for (unsigned j = 0; j < inFlight; j++) recv_->irecv(1, &to, &size, &tag, &keys, &receives_[j]);
    for (unsigned j = 0; j < inFlight; j++) send_->isend(out_.data(), size, tag, keys_, &sends_[j]);
    for (unsigned j = 0; j < inFlight; j++)
      if (!finish(j, size)) return false;
  }
  return true;
}

}  // namespace polyrail::net
