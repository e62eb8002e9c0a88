// SPDX-License-Identifier: Apache-2.0
// The communicators that the rows of a CSV speak of, as layouts of tables. Pure; any thread.
#pragma once

#include <optional>
#include <vector>

#include "cli/csv/row.h"

namespace polyrail {

// Without `ranks` any number of them, without `nodes` any number of nodes (then `ranks` is absent too).
struct CsvShape {
  std::optional<uint64_t> nodes, ranks;
  bool operator==(const CsvShape&) const = default;
  auto operator<=>(const CsvShape&) const = default;
};

// One table each: every exact shape that a row names or that a number of ranks divides into, then any ranks on so
// many nodes, then all. In each group in the order of the rows.
std::vector<CsvShape> shapesOf(const std::vector<CsvRow>& rows);

// True when the row holds for all communicators of the shape.
bool holdsFor(const CsvRow& row, const CsvShape& shape);

Layout layoutOf(const CsvShape& shape);

}  // namespace polyrail
