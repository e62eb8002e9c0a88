// SPDX-License-Identifier: Apache-2.0
#include "net/connect/greeting.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>

#include "common/policy/policy_file.h"
#include "common/policy/policy_search.h"

namespace polyrail::net {
namespace {

constexpr size_t kMaxText = 255;  // of a string on the wire

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return std::string(value ? value : "").substr(0, kMaxText);
}

std::string hostName() {
  char name[256] = "?";
  if (gethostname(name, sizeof name - 1) != 0) return "?";
  return name;
}

// 64 hexadecimal digits.
Digest digestOf(const std::string& text) {
  Digest digest{};
  for (size_t i = 0; i < digest.size() && 2 * i + 2 <= text.size(); i++)
    std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, digest[i], 16);
  return digest;
}

std::string shown(const Digest& digest) {
  constexpr char kHex[] = "0123456789abcdef";
  if (digest == Digest{}) return "no policy";
  std::string text = "policy ";
  for (size_t i = 0; i < 6; i++) text += {kHex[digest[i] >> 4], kHex[digest[i] & 15]};
  return text;
}

std::string shown(const std::string& value) { return value.empty() ? "unset" : "'" + value + "'"; }

}  // namespace

Greeting ownGreeting() {
  Greeting g;
  g.tunerPlugin = environment("NCCL_TUNER_PLUGIN");
  g.algo = environment("NCCL_ALGO");
  g.proto = environment("NCCL_PROTO");
  g.host = hostName();
  g.process = static_cast<uint32_t>(getpid());
  const std::string path = policyPath();
  if (path.empty()) return g;
  const Result<LoadedPolicy> loaded = loadPolicyFile(path);
  if (loaded.ok()) g.policy = digestOf(loaded.value().digest);  // a bad one is the tuner's to complain of
  return g;
}

std::string disagreement(const Greeting& here, const Greeting& there) {
  if (here.policy != there.policy)
    return "the policy: " + shown(here.policy) + " here, " + shown(there.policy) + " there";
  const std::pair<const char*, std::string Greeting::*> variables[] = {{"NCCL_TUNER_PLUGIN", &Greeting::tunerPlugin},
                                                                       {"NCCL_ALGO", &Greeting::algo},
                                                                       {"NCCL_PROTO", &Greeting::proto}};
  for (const auto& [name, member] : variables)
    if (here.*member != there.*member)
      return std::string(name) + ": " + shown(here.*member) + " here, " + shown(there.*member) + " there";
  return {};
}

}  // namespace polyrail::net
