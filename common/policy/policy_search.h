// SPDX-License-Identifier: Apache-2.0
// Which policy file a process uses. Both plugins ask here, so that they agree without sharing memory.
#pragma once

#include <string>

namespace polyrail {

// POLYRAIL_POLICY; when unset kDefaultPolicyPath if something is there; "" for none, which POLYRAIL_POLICY=none says
// too. Reads the environment and looks at the file system; any thread, at init only.
std::string policyPath();

}  // namespace polyrail
