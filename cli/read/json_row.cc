// SPDX-License-Identifier: Apache-2.0
#include "cli/read/json_row.h"

#include <fmt/format.h>

#include "cli/read/number.h"
#include "cli/read/words.h"

namespace polyrail::read {
namespace {

constexpr unsigned kAllFour = 0b1111;
constexpr size_t kWrong = 3;

struct ColumnName {
  std::string_view member;
  size_t half, column;
};
constexpr ColumnName kColumns[] = {{"out_of_place.time", 0, 0},
                                   {"out_of_place.cpu_time", 0, 0},
                                   {"out_of_place.alg_bw", 0, 1},
                                   {"out_of_place.bus_bw", 0, 2},
                                   {"out_of_place.nwrong", 0, kWrong},
                                   {"in_place.time", 1, 0},
                                   {"in_place.cpu_time", 1, 0},
                                   {"in_place.alg_bw", 1, 1},
                                   {"in_place.bus_bw", 1, 2},
                                   {"in_place.nwrong", 1, kWrong},
                                   {"oop_time", 0, 0},
                                   {"oop_algbw", 0, 1},
                                   {"oop_busbw", 0, 2},
                                   {"oop_error", 0, kWrong},
                                   {"ip_time", 1, 0},
                                   {"ip_algbw", 1, 1},
                                   {"ip_busbw", 1, 2},
                                   {"ip_error", 1, kWrong}};

constexpr std::string_view kSpreads[] = {"min_us", "max_us", "p99_us", "cv_pct"};

// nccl-tests writes counts as "0.000000".
std::string wrongText(const JsonScalar& value) {
  return value.kind == JsonScalar::Kind::kNumber ? fmt::format("{:g}", value.number) : "N/A";
}

}  // namespace

void JsonRow::clear() { *this = JsonRow{}; }

void JsonRow::setSize(std::string_view digits) {
  if (wholeInteger(digits, &row_.sizeBytes)) size_ = digits;
}

void JsonRow::setCommon(std::string_view member, const JsonScalar& value) {
  const std::string_view text = trim(value.text);
  if (member == "size") setSize(text);
  if (member == "count" && wholeInteger(text, &row_.count)) count_ = text;
  if (member == "type") row_.type = text;
  if (member == "redop") row_.redop = text;
  if (member != "root") return;
  uint64_t root = 0;
  root_ = text;
  row_.root = wholeInteger(text, &root) && root <= INT32_MAX ? static_cast<int>(root) : -1;
}

void JsonRow::setHalf(Half& half, size_t column, const JsonScalar& value) {
  const bool number = value.kind == JsonScalar::Kind::kNumber;
  if (!number && column != kWrong) return;  // "nan"
  half.value[column] = number ? value.number : -1;
  half.text[column] = column == kWrong ? wrongText(value) : std::string(value.text);
  half.have |= 1u << column;
  fill(&half == &halves_[0] ? row_.outOfPlace : row_.inPlace, half);
}

void JsonRow::setSpread(Half& half, std::string_view member, const JsonScalar& value) {
  double* const fields[] = {&half.spread.minUs, &half.spread.maxUs, &half.spread.p99Us, &half.spread.cvPercent};
  for (size_t i = 0; i < std::size(kSpreads); i++)
    if (member == kSpreads[i]) *fields[i] = value.number, half.haveSpread |= 1u << i;
  fill(&half == &halves_[0] ? row_.outOfPlace : row_.inPlace, half);
}

void JsonRow::fill(std::optional<Placement>& placement, const Half& half) {
  if (half.have != kAllFour) return;
  placement = Placement{half.value[0], half.value[1], half.value[2], std::nullopt, std::nullopt};
  if (half.value[kWrong] >= 0) placement->wrong = half.value[kWrong];
  if (half.haveSpread == kAllFour) placement->spread = half.spread;
}

void JsonRow::set(std::string_view member, const JsonScalar& value) {
  for (const ColumnName& name : kColumns)
    if (member == name.member) return setHalf(halves_[name.half], name.column, value);
  if (skip(member, "out_of_place_per_iter.")) return setSpread(halves_[0], member, value);
  if (skip(member, "in_place_per_iter.")) return setSpread(halves_[1], member, value);
  setCommon(member, value);
}

bool JsonRow::whole() const {
  return !size_.empty() && !count_.empty() && !row_.type.empty() && row_.inPlace.has_value() &&
         (row_.outOfPlace.has_value() || halves_[0].have == 0);
}

RowText JsonRow::text() const {
  RowText text;
  text.size = size_, text.count = count_, text.type = row_.type, text.redop = row_.redop, text.root = root_;
  for (size_t half = 0; half < 2; half++) {
    if (halves_[half].have != kAllFour) continue;
    text.time[half] = halves_[half].text[0], text.algBw[half] = halves_[half].text[1];
    text.busBw[half] = halves_[half].text[2], text.wrong[half] = halves_[half].text[kWrong];
  }
  return text;
}

}  // namespace polyrail::read
