// SPDX-License-Identifier: Apache-2.0
#include "test/unit/read/sample_table.h"

#include <fmt/format.h>
#include <fmt/printf.h>

#include <cstdlib>
#include <random>

namespace polyrail::sample {
namespace {

bool isOld(Style s) { return s == Style::kOldAllReduce || s == Style::kOldBroadcast || s == Style::kOldAllGather; }
bool shedsDecimals(Style s) { return !isOld(s) && s != Style::kWrong5; }

// A number in `width`, with as many of two decimals as fit.
std::string fitting(double value, int width) {
  for (int decimals = 2; decimals >= 0; decimals--) {
    std::string text = fmt::format("{:{}.{}f}", value, width, decimals);
    if (text.size() <= static_cast<size_t>(width)) return text;
  }
  return fmt::format("{:{}.{}e}", value, width, width >= 7 ? 1 : 0);
}

// The time column until 2.17.3.
std::string oldTime(double us) { return fmt::format("{:7.{}f}", us, us >= 10000 ? 0 : us >= 100 ? 1 : 2); }

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  return text;
}

struct Draw {
  std::mt19937 random;
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }
  int pick(int choices) { return std::uniform_int_distribution<int>(0, choices - 1)(random); }
};

std::string wrongField(Style style, Draw& draw, bool old, double* value) {
  const int kind = draw.pick(8);
  if (kind == 0) {
    *value = -1;
    return old ? "    N/A" : "    N/A";
  }
  if (old) {
    const std::string text = kind < 4 ? "0e+00" : fmt::format("{:.0e}", draw.between(1e-8, 9e-7));
    *value = std::strtod(text.c_str(), nullptr);
    return "  " + text;
  }
  *value = kind == 1 ? draw.pick(2000000) : 0;
  return fmt::sprintf(style == Style::kWrong5 ? "  %5g" : "  %6g", *value);
}

std::string body(Style style, Draw& draw, double us, double bytes, int half, Expected& expected) {
  const double algBw = bytes / us / 1e3, busBw = algBw * 1.75;
  std::string time, alg, bus;
  if (shedsDecimals(style)) {
    time = fitting(us, 7), alg = fitting(algBw, 6), bus = fitting(busBw, 6);
  } else {
    time = oldTime(us), alg = fmt::format("{:6.2f}", algBw), bus = fmt::format("{:6.2f}", busBw);
  }
  const std::string wrong = wrongField(style, draw, isOld(style), &expected.wrongValue[half]);
  expected.time[half] = trimmed(time), expected.algBw[half] = trimmed(alg), expected.busBw[half] = trimmed(bus);
  expected.wrong[half] = trimmed(wrong);
  return "  " + time + "  " + alg + "  " + bus + wrong;
}

std::string spread(Draw& draw, double us) {
  const double cv = draw.between(0, 150);
  return "  " + fitting(us * 0.9, 7) + "  " + fitting(us * 3, 7) + "  " + fitting(us * 2.5, 7) + "  " +
         fitting(cv, 7);
}

// The preamble, one printf.
std::string preamble(Style style, uint64_t size, uint64_t count, Expected& e) {
  e.size = std::to_string(size), e.count = std::to_string(count), e.type = "float";
  std::string text = fmt::format("{:12}  {:12}", size, count);
  if (style == Style::kOldAllGather) return text + "   float";
  if (style == Style::kOldBroadcast) {
    e.root = "0", e.rootValue = 0;
    return text + "   float       0";
  }
  e.redop = "sum";
  if (style == Style::kOldAllReduce) return text + "   float     sum";
  e.root = "-1";
  return text + "     float     sum      -1";
}

SampleRow makeRow(Style style, uint64_t size, Draw& draw) {
  SampleRow row;
  Expected& e = row.expected;
  row.pieces.push_back(preamble(style, size, size / 4, e));
  for (int half = 0; half < 2; half++) {
    const double us = 5.0 + static_cast<double>(size) / draw.between(3e3, 3e5) + draw.between(0, 20);
    std::string text = body(style, draw, us, static_cast<double>(size), half, e);
    row.pieces.push_back(std::move(text));
    if (style == Style::kPerIteration) row.pieces.push_back(spread(draw, us));
  }
  if (style == Style::kTimestamps) row.pieces.push_back("  2026-07-10 10:11:12");
  row.pieces.push_back("\n");
  return row;
}

std::string header(Style style) {
  std::string text = "# nThread 1 nGpus 8 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 ";
  text += isOld(style) ? "validation: 1 \n#\n" : "agg iters: 1 validation: 1 graph: 0\n#\n";
  text += "# Using devices\n";
  for (int rank = 0; rank < 8; rank++)
    text += isOld(style) ? fmt::format("#   Rank {:2} Pid {:6} on {:>10} device {:2} [0x07] Sample GPU\n", rank, 700,
                                       "boxa", rank)
                         : fmt::format("#  Rank {:2} Group  0 Pid {:6} on {:>10} device {:2} [0x07] Sample GPU\n",
                                       rank, 700, "boxa", rank);
  text += "#\n#                                            out-of-place                       in-place          \n";
  switch (style) {
    case Style::kOldAllReduce:
      return text +
             "#       size         count    type   redop     time   algbw   busbw  error     time   algbw   "
             "busbw  error\n#        (B)    (elements)                     (us)  (GB/s)  (GB/s)\n";
    case Style::kOldBroadcast:
      return text +
             "#       size         count    type    root     time   algbw   busbw  error     time   algbw   "
             "busbw  error\n";
    case Style::kOldAllGather:
      return text +
             "#       size         count    type     time   algbw   busbw  error     time   algbw   busbw  "
             "error\n";
    case Style::kWrong5:
      return text +
             "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   "
             "algbw   busbw #wrong\n";
    case Style::kPerIteration:
      return text +
             "#       size         count      type   redop    root     time   algbw   busbw  #wrong    i_min   "
             " i_max    i_p99    i_cv%     time   algbw   busbw  #wrong    i_min    i_max    i_p99    i_cv% \n";
    default:
      return text +
             "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   "
             "algbw   busbw  #wrong \n";
  }
}

template <typename T>
void compare(std::string& out, const char* what, const T& expected, const T& found) {
  if (!(expected == found)) out += fmt::format("{}: expected {}, found {}; ", what, expected, found);
}

double number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

}  // namespace

std::string SampleTable::text() const {
  std::string all = header;
  for (const SampleRow& row : rows)
    for (const std::string& piece : row.pieces) all += piece;
  return all + footer;
}

SampleTable makeTable(Style style, unsigned seed, int rows) {
  Draw draw{std::mt19937(seed)};
  SampleTable table;
  table.header = header(style);
  uint64_t size = uint64_t{8} << draw.pick(6);
  for (int i = 0; i < rows; i++, size <<= 1 + draw.pick(4)) table.rows.push_back(makeRow(style, size, draw));
  table.footer = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 12.3456 \n#\n";
  return table;
}

std::string difference(const Expected& e, const Row& row) {
  std::string out;
  compare(out, "size", e.size, std::to_string(row.sizeBytes));
  compare(out, "count", e.count, std::to_string(row.count));
  compare(out, "type", e.type, row.type);
  compare(out, "redop", e.redop, row.redop);
  compare(out, "root", e.rootValue, row.root);
  for (int half = 0; half < 2; half++) {
    const std::optional<Placement>& p = half == 0 ? row.outOfPlace : row.inPlace;
    if (!p) {
      out += half == 0 ? "no out-of-place; " : "no in-place; ";
      continue;
    }
    compare(out, "time", number(e.time[half]), p->timeUs);
    compare(out, "algbw", number(e.algBw[half]), p->algBw);
    compare(out, "busbw", number(e.busBw[half]), p->busBw);
    // Printed with six digits.
    compare(out, "wrong", e.wrongValue[half] < 0 ? -1 : number(e.wrong[half]), p->wrong.value_or(-1));
  }
  return out;
}

}  // namespace polyrail::sample
