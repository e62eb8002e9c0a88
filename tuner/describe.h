// SPDX-License-Identifier: Apache-2.0
// Shapes and rules in words for the log. Init only.
#pragma once

#include <string>

#include "tuner/snapshot.h"

namespace polyrail {

// "16 ranks on 2 nodes, 1 NVLink domain of 16".
std::string describe(const Shape& shape);

// "tables[0].rules[3]: allreduce [65536, 1048576) -> ring/ll128 8 channels, tree/simple".
// REQUIRES: the origin is one of the policy.
std::string describe(const Policy& policy, const Origin& origin);

}  // namespace polyrail
