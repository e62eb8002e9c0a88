// SPDX-License-Identifier: Apache-2.0
#include "cli/read/shape.h"

#include <algorithm>
#include <cmath>

#include "cli/read/row_grammar.h"

namespace polyrail::read {
namespace {

// Half a unit of the last printed digit.
double halfUlp(std::string_view text) {
  static constexpr double kHalf[] = {0.5, 0.05, 0.005, 0.0005, 0.00005, 0.000005, 0.0000005};
  const size_t point = text.find('.');
  const size_t decimals = point == std::string_view::npos ? 0 : text.size() - point - 1;
  return kHalf[std::min(decimals, std::size(kHalf) - 1)];
}

// Smaller bandwidths say too little about their ratio.
constexpr double kTellingBandwidth = 1.0;

std::optional<uint64_t> onlyInteger(double low, double high) {
  const double first = std::ceil(low);
  if (!std::isfinite(first) || first < 2 || first > 1e7 || first > high || first + 1 <= high) return std::nullopt;
  return static_cast<uint64_t>(first);
}

}  // namespace

void Shape::add(const Row& row, const RowText& text) {
  rows_++;
  (row.redop.empty() || row.redop == "none" ? copies_ : reduces_) = true;
  (row.root < 0 ? unrooted_ : rooted_) = true;
  const uint64_t bytes = row.count * elementBytes(row.type);
  if (bytes != 0) {
    const uint64_t blocks = row.sizeBytes % bytes == 0 ? row.sizeBytes / bytes : 0;
    blocksDiffer_ |= blocks_ && *blocks_ != blocks;
    blocks_ = blocks;
  }
  if (row.outOfPlace) {
    checkedFirst_ |= row.outOfPlace->wrong.has_value();
    addRatio(*row.outOfPlace, text.algBw[0], text.busBw[0]);
  }
  if (row.inPlace) {
    checkedSecond_ |= row.inPlace->wrong.has_value();
    addRatio(*row.inPlace, text.algBw[1], text.busBw[1]);
  }
}

void Shape::addRatio(const Placement& p, std::string_view algText, std::string_view busText) {
  if (!(p.algBw >= kTellingBandwidth) || !(p.busBw > 0) || !std::isfinite(p.algBw + p.busBw)) return;
  const double alg = halfUlp(algText), bus = halfUlp(busText);
  low_ = std::max(low_, (p.busBw - bus) / (p.algBw + alg));
  high_ = std::min(high_, (p.busBw + bus) / (p.algBw - alg));
  ratioKnown_ = true;
}

std::string Shape::collective() const {
  if (rows_ == 0 || reduces_ == copies_ || rooted_ == unrooted_ || blocksDiffer_) return {};
  return rooted_ ? withRoot() : withoutRoot();
}

std::string Shape::withRoot() const {
  if (reduces_) return "reduce";
  return blocks_ == 1 ? "broadcast" : "";  // gather and scatter print alike
}

std::string Shape::withoutRoot() const {
  if (!blocks_) return {};
  // AlltoAll and SendRecv check nothing in place (their InitData in nccl-tests).
  const bool bothChecked = checkedFirst_ && checkedSecond_, firstOnly = checkedFirst_ && !checkedSecond_;
  if (copies_ && *blocks_ > 1) return bothChecked ? "all_gather" : firstOnly ? "alltoall" : "";
  if (copies_) return firstOnly ? "sendrecv" : "";
  if (*blocks_ > 1) return "reduce_scatter";
  if (bothChecked || (ratioKnown_ && low_ > 1)) return "all_reduce";
  return firstOnly ? "sendrecv" : "";
}

std::optional<uint64_t> Shape::ranks(std::string_view collective) const {
  const bool blockwise = collective == "all_gather" || collective == "reduce_scatter" || collective == "alltoall";
  if (blockwise && blocks_ && !blocksDiffer_ && *blocks_ > 1) return blocks_;
  if (!ratioKnown_) return std::nullopt;
  // nccl-tests: busbw = algbw * 2(n-1)/n for AllReduce, (n-1)/n for AllGather, ReduceScatter and AlltoAll.
  if (collective == "all_reduce" && high_ < 2) return onlyInteger(2 / (2 - low_), 2 / (2 - high_));
  return std::nullopt;
}

}  // namespace polyrail::read
