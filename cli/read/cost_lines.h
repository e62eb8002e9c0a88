// SPDX-License-Identifier: Apache-2.0
// NCCL's cost table as rank 0 logs it (subsystem TUNING; src/graph/tuning.cc): a head that names algorithms and
// protocols, then per collective "latency/bandwidth" cells. Until 2.17 one block "Latency/AlgBw | Tree/ LL |...",
// since 2.18 blocks of three algorithms. One per run; one thread.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cli/data/run.h"

namespace polyrail::read {

class CostTableReader {
 public:
  // Takes the message if it is a line of the table; false otherwise.
  bool take(std::string_view message);
  bool found() const { return cells_ > 0; }
  // Absent until a cell was read; cells of algorithms that this NCCL does not have are 0.
  std::optional<CostModel> table() const;

 private:
  struct Column {
    std::optional<nccl::Algorithm> algorithm;
    std::optional<nccl::Protocol> protocol;
  };
  bool takeHead(std::string_view message);
  bool takeCells(std::string_view message);

  std::vector<Column> columns_;
  CostModel table_;
  size_t cells_ = 0;
};

}  // namespace polyrail::read
