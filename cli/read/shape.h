// SPDX-License-Identifier: Apache-2.0
// What the rows themselves tell when no header does: which collective it was, and on how many ranks. Each row adds a
// little; nothing is kept but bounds. Plain value, one thread.
#pragma once

#include <optional>
#include <string>

#include "cli/read/run_sink.h"

namespace polyrail::read {

struct Shape {
  void add(const Row& row, const RowText& text);

  // "all_reduce", "alltoall", ...; empty when the rows could be of more than one.
  std::string collective() const;
  // From size / count, or from the only whole number that busbw / algbw allows. `collective` as collective() spells
  // it.
  std::optional<uint64_t> ranks(std::string_view collective) const;

 private:
  void addRatio(const Placement& placement, std::string_view algText, std::string_view busText);
  std::string withRoot() const;
  std::string withoutRoot() const;

  uint64_t rows_ = 0;
  bool reduces_ = false, copies_ = false, rooted_ = false, unrooted_ = false;
  bool checkedFirst_ = false, checkedSecond_ = false;  // a number, not N/A, in `wrong` of each placement
  std::optional<uint64_t> blocks_;                     // size / (count * element), when all rows agree
  bool blocksDiffer_ = false;
  double low_ = 0, high_ = 1e9;  // bounds of busbw / algbw
  bool ratioKnown_ = false;
};

}  // namespace polyrail::read
