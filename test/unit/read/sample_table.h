// SPDX-License-Identifier: Apache-2.0
// Tables as nccl-tests prints them, kept as the pieces that single printf calls write, so that tests can put other
// text between any two of them. Formats: src/common.cu and src/util.cu of nccl-tests, named per style.
#pragma once

#include <string>
#include <vector>

#include "cli/data/run.h"

namespace polyrail::sample {

enum class Style {
  kOldAllReduce,  // until 2.12: redop, no root, "error" with %5.0le
  kOldBroadcast,  // until 2.12: root, no redop
  kOldAllGather,  // until 2.12: neither
  kWrong5,        // 2.13 to 2.17.3: redop and root, "#wrong" with %5g
  kWrong6,        // from 2.17.4: %6g, numbers that shed decimals to stay in their width
  kTimestamps,    // from 2.17.6 with -S
  kPerIteration,  // from 2.19.2 with -I
};
inline constexpr Style kStyles[] = {Style::kOldAllReduce, Style::kOldBroadcast, Style::kOldAllGather, Style::kWrong5,
                                    Style::kWrong6,       Style::kTimestamps,   Style::kPerIteration};

// What is to be found of a row: its fields as printed, and their values.
struct Expected {
  std::string size, count, type, redop, root;
  std::string time[2], algBw[2], busBw[2], wrong[2];
  int rootValue = -1;
  double wrongValue[2] = {};  // negative: N/A
};

struct SampleRow {
  std::vector<std::string> pieces;  // the last one is "\n"
  Expected expected;
};

struct SampleTable {
  std::string header, footer;
  std::vector<SampleRow> rows;

  std::string text() const;
};

// `seed` varies sizes, times and errors.
SampleTable makeTable(Style style, unsigned seed, int rows = 6);

// Empty when `row` is the expected one; else what differs.
std::string difference(const Expected& expected, const Row& row);

}  // namespace polyrail::sample
