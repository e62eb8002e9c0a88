// SPDX-License-Identifier: Apache-2.0
#include "cli/csv/shapes.h"

#include <set>

namespace polyrail {
namespace {

// Keeps the first of equals, in order.
class Distinct {
 public:
  void add(const CsvShape& shape) {
    if (seen_.insert(shape).second) order_.push_back(shape);
  }
  void moveTo(std::vector<CsvShape>& out) const { out.insert(out.end(), order_.begin(), order_.end()); }

 private:
  std::set<CsvShape> seen_;
  std::vector<CsvShape> order_;
};

void addDivisions(uint64_t ranks, Distinct& exact) {
  for (uint64_t nodes = 1; nodes * nodes <= ranks; nodes++) {
    if (ranks % nodes != 0) continue;
    exact.add({nodes, ranks});
    exact.add({ranks / nodes, ranks});
  }
}

}  // namespace

std::vector<CsvShape> shapesOf(const std::vector<CsvRow>& rows) {
  Distinct exact, nodesOnly, all;
  for (const CsvRow& row : rows) {
    if (row.nodes && row.ranks)
      exact.add({row.nodes, row.ranks});
    else if (row.ranks)
      addDivisions(*row.ranks, exact);
    else
      (row.nodes ? nodesOnly : all).add({row.nodes, {}});
  }
  std::vector<CsvShape> out;
  for (const Distinct* group : {&exact, &nodesOnly, &all}) group->moveTo(out);
  return out;
}

bool holdsFor(const CsvRow& row, const CsvShape& shape) {
  return (!row.nodes || row.nodes == shape.nodes) && (!row.ranks || row.ranks == shape.ranks);
}

Layout layoutOf(const CsvShape& shape) {
  Layout layout;
  if (shape.nodes) layout.nodes = {*shape.nodes, *shape.nodes};
  if (shape.ranks) layout.ranksPerNode = {*shape.ranks / *shape.nodes, *shape.ranks / *shape.nodes};
  return layout;
}

}  // namespace polyrail
