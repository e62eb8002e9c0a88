// SPDX-License-Identifier: Apache-2.0
// What a process says of itself in HELLO and WELCOME besides its rails, and whether two of them may work together:
// ranks whose tuners decide differently hang without a word, so they are told before. Plain values; any thread.
#pragma once

#include <string>

#include "common/status.h"
#include "net/wire/message.h"

namespace polyrail::net {

struct Greeting {
  uint64_t features = 0;
  Digest policy{};  // of the policy file that the tuner would read; zero: none
  std::string tunerPlugin, algo, proto;
  std::string host;
  uint32_t process = 0;
};

// Reads the policy file, NCCL_TUNER_PLUGIN, NCCL_ALGO and NCCL_PROTO, the host's name. Call it at init.
Greeting ownGreeting();

// Fills the same fields of HELLO or WELCOME.
template <typename MessageBody>
void sign(MessageBody* m, const Greeting& g) {
  m->features = g.features;
  m->policy = g.policy;
  m->tunerPlugin = g.tunerPlugin;
  m->algo = g.algo;
  m->proto = g.proto;
  m->host = g.host;
  m->process = g.process;
}
template <typename MessageBody>
Greeting greetingIn(const MessageBody& m) {
  return {m.features, m.policy, m.tunerPlugin, m.algo, m.proto, m.host, m.process};
}

// Empty when both decide alike; else one clause that says what differs and what each has.
std::string disagreement(const Greeting& here, const Greeting& there);

}  // namespace polyrail::net
