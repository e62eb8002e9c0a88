// SPDX-License-Identifier: Apache-2.0
// `polyrail policy show`: the policy that is in use here and the one before it. One thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "common/policy/policy_file.h"

namespace polyrail::cli {

struct ShownPolicy {
  LoadedPolicy policy;
  std::string previousPath, previousDigest;  // empty: no previous one is kept
};

Result<ShownPolicy> readShownPolicy(const std::string& path);

std::string toText(const ShownPolicy& shown);
nlohmann::ordered_json toJson(const ShownPolicy& shown);

}  // namespace polyrail::cli
