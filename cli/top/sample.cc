// SPDX-License-Identifier: Apache-2.0
#include "cli/top/sample.h"

namespace polyrail::cli {

const char* conditionName(RailCondition condition) {
  static constexpr const char* kNames[] = {"up", "repairing", "failed", "down", "lost"};
  return kNames[static_cast<size_t>(condition)];
}

}  // namespace polyrail::cli
