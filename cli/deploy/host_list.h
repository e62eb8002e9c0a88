// SPDX-License-Identifier: Apache-2.0
// Host lists as Slurm and pdsh write them: "n1,n2", "n[001-128,200]-ib". Stateless.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"

namespace polyrail::cli {

inline constexpr size_t kMaxHosts = 100000;

// In the order written, each once. Names hold letters, digits, '.', '-', '_' and ':' only, since they go into a
// shell's command line. Numbers keep their leading zeros. One bracket a name.
Result<std::vector<std::string>> parseHosts(std::string_view text);

}  // namespace polyrail::cli
