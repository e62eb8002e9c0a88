// SPDX-License-Identifier: Apache-2.0
// The tables of a frame. Where a terminal is too narrow for all columns those that say least are left out. Stateless.
#pragma once

#include <string>
#include <vector>

#include "cli/top/view.h"

namespace polyrail::cli {

struct FrameStyle {
  size_t columns = 0;  // of the terminal; 0: as wide as it gets
  bool colour = false;
};

// Titles and rows; none for no rows.
std::vector<std::string> railLines(const std::vector<RailRow>& rows, const FrameStyle& style);
std::vector<std::string> processLines(const std::vector<ProcessRow>& rows, const FrameStyle& style);
std::vector<std::string> pathLines(const std::vector<PathRow>& rows, const FrameStyle& style);

// Of payload: "98.3"; "-" for none.
std::string gigabits(double bytesPerSecond);

}  // namespace polyrail::cli
