// SPDX-License-Identifier: Apache-2.0
// A view as lines for people: one that sums up, tables of rails, processes and paths, and what is wrong. Stateless.
#pragma once

#include "cli/top/tables.h"

namespace polyrail::cli {

// `paths`: with a row for each path.
std::vector<std::string> frameOf(const TopView& view, const FrameStyle& style, bool paths);

}  // namespace polyrail::cli
