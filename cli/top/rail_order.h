// SPDX-License-Identifier: Apache-2.0
// The order in which people count rails: mlx5_2 before mlx5_10. Stateless.
#pragma once

#include <string>

namespace polyrail::cli {

bool railBefore(const std::string& a, const std::string& b);

}  // namespace polyrail::cli
