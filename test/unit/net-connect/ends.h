// SPDX-License-Identifier: Apache-2.0
// Both sides of a handshake on emulated rails in virtual time, joined by streams in memory. For tests and bars.
#pragma once

#include <algorithm>
#include <optional>

#include "net/connect/handshake.h"
#include "test/unit/net-connect/memory_stream.h"
#include "test/unit/net-data/rig.h"

namespace polyrail::net {

inline constexpr Secret kSecret{1, 2, 3};
inline constexpr int64_t kSecond = 1'000'000'000;

struct Ends {
  explicit Ends(RigOptions rails = {}) : rig(rails) {}

  HandshakeOptions options() {
    HandshakeOptions o;
    o.clock = &rig.sim().clock();
    o.timeoutNs = 5 * kSecond;
    o.greeting.host = "node";
    return o;
  }
  void start(const HandshakeOptions& sender, const HandshakeOptions& receiver, const Secret& shown = kSecret) {
    rig.on(true);
    CommOptions comm = siblings ? rig.optionsOn(true, 0) : rig.options(true);
    comm.path.ece = senderEce;
    for (LocalRail& rail : comm.rails) rail.placement = senderPlacement;
    send.emplace(sender, shown, Channel(streams.sender()), comm);
    rig.on(false);
    receive.emplace(receiver, kSecret, Channel(streams.receiver()));
  }
  bool sendTurn() {
    rig.on(true);
    const int64_t before = controlCalls(rig, true);
    const Result<bool> done = send->advance();
    count(controlCalls(rig, true) - before);
    if (!done.ok()) sendError = done.message();
    return done.ok() && done.value();
  }
  bool receiveTurn() {
    rig.on(false);
    const int64_t before = controlCalls(rig, false);
    const Result<bool> done = receive->served() ? receive->advance() : greet();
    count(controlCalls(rig, false) - before);
    if (!done.ok()) receiveError = done.message();
    return done.ok() && done.value();
  }
  Result<bool> greet() {
    Result<bool> greeted = receive->greet();
    CommOptions comm = siblings ? rig.optionsOn(false, 0) : rig.options(false);
    comm.path.ece = receiverEce;
    if (greeted.ok() && greeted.value()) receive->serve(comm);
    if (!greeted.ok()) return greeted;
    return false;
  }
  // Until both are done, one fails, or time is up.
  void run() {
    bool sent = false, received = false;
    for (int i = 0; i < 20'000 && !(sent && received) && sendError.empty() && receiveError.empty(); i++) {
      sent = sent || sendTurn();
      received = received || receiveTurn();
      rig.sim().run(1'000'000);
    }
    connected = sent && received;
  }

  void count(int64_t verbs) { mostVerbs = std::max(mostVerbs, verbs); }

  Rig rig;
  StreamPair streams;
  std::optional<SendHandshake> send;
  std::optional<ReceiveHandshake> receive;
  std::string sendError, receiveError;
  bool connected = false;
  bool siblings = false;  // one rail of each end is the comm's, the others are siblings'
  Placement senderPlacement;
  bool senderEce = true, receiverEce = true;  // settings
  int64_t mostVerbs = 0;                      // control verbs in one call
};

}  // namespace polyrail::net
