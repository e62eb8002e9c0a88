// SPDX-License-Identifier: Apache-2.0
// One row being put together from JSON members, in either shape. Plain value, one thread.
#pragma once

#include <array>
#include <string>

#include "cli/read/run_sink.h"

namespace polyrail::read {

// A scalar of the JSON text.
struct JsonScalar {
  enum class Kind { kNull, kNumber, kString } kind = Kind::kNull;
  double number = 0;
  std::string_view text;  // of a string, or of a number as it is written
};

class JsonRow {
 public:
  void clear();
  // `member` is the path below the row, "size" or "in_place.alg_bw" or "ip_algbw"; unknown ones are ignored.
  void set(std::string_view member, const JsonScalar& value);
  void setSize(std::string_view digits);

  // Size, count, type and at least the in-place half with all its numbers are there.
  bool whole() const;
  const Row& row() const { return row_; }
  // Valid until the next set() or clear().
  RowText text() const;

 private:
  struct Half {
    std::array<std::string, 4> text;
    std::array<double, 4> value{};
    unsigned have = 0;
    IterationSpread spread;
    unsigned haveSpread = 0;
  };
  void setHalf(Half& half, size_t column, const JsonScalar& value);
  void setSpread(Half& half, std::string_view member, const JsonScalar& value);
  void fill(std::optional<Placement>& placement, const Half& half);
  void setCommon(std::string_view member, const JsonScalar& value);

  Row row_;
  std::array<Half, 2> halves_;
  std::string size_, count_, root_;
};

}  // namespace polyrail::read
