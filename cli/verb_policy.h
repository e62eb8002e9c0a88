// SPDX-License-Identifier: Apache-2.0
// The part of `polyrail policy` that has a file of its own.
#pragma once

#include "cli/verb.h"

namespace polyrail::cli {

void attachPolicyCompare(CLI::App& verb, int& exitCode);

}  // namespace polyrail::cli
