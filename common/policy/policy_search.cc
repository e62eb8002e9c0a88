// SPDX-License-Identifier: Apache-2.0
#include "common/policy/policy_search.h"

#include <unistd.h>

#include "common/policy/policy_file.h"
#include "common/settings.h"

namespace polyrail {

std::string policyPath() {
  const Result<SettingValue> set = readSetting(*findSetting(kSettingPolicy));
  if (set.ok() && set.value().fromEnvironment) return set.value().text == "none" ? "" : set.value().text;
  // Of what is there but cannot be read, reading it will complain.
  return access(kDefaultPolicyPath, F_OK) == 0 ? kDefaultPolicyPath : "";
}

}  // namespace polyrail
