// SPDX-License-Identifier: Apache-2.0
// The rows that hold for one table's communicators, as its rules. Pure; one thread.
#pragma once

#include "cli/csv/shapes.h"

namespace polyrail {

// Steps of work that an import may take; what would need more is refused rather than waited for.
struct CsvBudget {
  size_t steps = 5'000'000;
  bool take(size_t n) {
    if (n > steps) return false;
    steps -= n;
    return true;
  }
};

// REQUIRES: the rows are of one collective and hold for the shape. False when the budget is used up.
bool buildTable(const std::vector<const CsvRow*>& rows, const CsvShape& shape, CsvBudget& budget, Table& table,
                Remarks& remarks);

}  // namespace polyrail
