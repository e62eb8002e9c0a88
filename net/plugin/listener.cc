// SPDX-License-Identifier: Apache-2.0
#include "net/plugin/listener.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace polyrail::net {
namespace {

constinit std::atomic<uint64_t> gListeners{0};

}  // namespace

Result<std::unique_ptr<Listener>> Listener::create(Context& context, int device, void* handle) {
  context.endAbandoned();
  if (!context.node().device(device)) return Status::error("there is no device " + std::to_string(device));
  Result<std::unique_ptr<Door>> door = context.library().wire().listen();
  if (!door.ok()) return door.status();
  std::unique_ptr<Listener> listener(new Listener(context, device, std::move(door).value()));
  if (getrandom(listener->secret_.data(), listener->secret_.size(), 0) !=
      static_cast<ssize_t>(listener->secret_.size()))
    return Status::error(std::string("no random bytes: ") + std::strerror(errno));
  Handle out;
  out.address = listener->door_->address();
  out.secret = listener->secret_;
  out.number = gListeners.fetch_add(1, std::memory_order_relaxed);
  write(out, handle);
  return listener;
}

bool Listener::makeRoom() {
  if (callers_.size() < kMaxCallers) return true;
  const auto oldest = std::find_if(callers_.begin(), callers_.end(), [](const auto& c) { return !c->served(); });
  if (oldest == callers_.end()) return false;
  callers_.erase(oldest);
  return true;
}

// At most a full house a call, so that everyone who is admitted is heard once.
Status Listener::admitCallers() {
  for (size_t i = 0; i < kMaxCallers; i++) {
    Result<std::unique_ptr<Stream>> stream = door_->admit();
    if (!stream.ok()) return stream.status();
    if (!stream.value()) break;
    if (!makeRoom()) continue;  // all are known to be the peer's
    callers_.push_back(std::make_unique<ReceiveHandshake>(context_.handshakeOptions(device_, nccl::kNetUndefined),
                                                          secret_, Channel(std::move(stream).value())));
  }
  return {};
}

Result<bool> Listener::hear(ReceiveHandshake& caller) {
  const Result<bool> greeted = caller.greet();
  if (!greeted.ok()) {
    context_.log().info("turned away: %s", greeted.message().c_str());
    return false;
  }
  if (!greeted.value()) return true;
  Result<CommOptions> options = context_.commOptions(device_, caller.trafficClass());
  if (!options.ok()) return options.status();
  CommOptions& comm = options.value();
  useForGrants(context_.library().settings().data, comm.rails[0].info.link, &comm.path);
  caller.serve(std::move(comm));
  return true;
}

Verdict Listener::advance(ReceiveHandshake& caller, std::unique_ptr<CommEnd>* end) {
  const Result<bool> done = caller.advance();
  if (!done.ok()) return {caller.outcome(), done.message()};
  if (!done.value()) return {};
  CommEnd::Parts parts;
  parts.recv = caller.takeComm();
  Result<std::unique_ptr<CommEnd>> made = context_.finish(device_, std::move(parts), caller);
  if (!made.ok()) return {Outcome::kSystemError, made.message()};
  *end = std::move(made).value();
  return {};
}

Verdict Listener::accept(std::unique_ptr<CommEnd>* end) {
  if (const Status s = admitCallers(); !s.ok()) return {Outcome::kSystemError, s.message()};
  for (size_t i = 0; i < callers_.size(); i++) {
    ReceiveHandshake& caller = *callers_[i];
    Verdict verdict;
    bool stays = true;
    if (caller.served()) {
      verdict = advance(caller, end);
      stays = !*end && verdict.outcome == Outcome::kOk;
    } else {
      const Result<bool> heard = hear(caller);
      if (!heard.ok()) return {Outcome::kSystemError, heard.message()};
      stays = heard.value();
    }
    if (!stays) callers_.erase(callers_.begin() + static_cast<ptrdiff_t>(i--));
    if (*end || verdict.outcome != Outcome::kOk) return verdict;
  }
  return {};
}

}  // namespace polyrail::net
