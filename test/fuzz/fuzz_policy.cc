// SPDX-License-Identifier: Apache-2.0
// Any bytes are a policy or one sentence; a policy that parses comes back equal from its own text.
#include <cstdlib>

#include "common/policy/policy_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const polyrail::Result<polyrail::Policy> policy = polyrail::parsePolicy(text, "fuzz");
  if (!policy.ok()) return policy.message().empty() ? std::abort(), 1 : 0;
  const auto again = polyrail::parsePolicy(polyrail::writePolicy(policy.value()), "again");
  if (!again.ok() || !(again.value() == policy.value())) std::abort();
  return 0;
}
