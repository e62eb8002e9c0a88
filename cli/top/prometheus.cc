// SPDX-License-Identifier: Apache-2.0
#include "cli/top/prometheus.h"

#include <fmt/format.h>

#include <cmath>

namespace polyrail::cli {
namespace {

// The bounds of buckets: 2^10, 2^12, ... 2^34 ns.
constexpr unsigned kFirstBound = 10, kLastBound = 34, kStep = 2;

std::string escaped(std::string_view text, bool quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || (c == '"' && quotes)) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

void PrometheusText::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, escaped(help, false), name, type);
}

void PrometheusText::sample(const PrometheusLabels& labels, uint64_t value) {
  line("", labels, std::to_string(value));
}

void PrometheusText::histogram(const PrometheusLabels& labels, const LatencyHistogram& times) {
  PrometheusLabels withBound = labels;
  withBound.emplace_back("le", "");
  uint64_t below = 0;
  unsigned bucket = 0;
  for (unsigned bound = kFirstBound; bound <= kLastBound; bound += kStep) {
    for (; bucket < bound; bucket++) below += times[bucket];
    withBound.back().second = fmt::format("{}", std::ldexp(1e-9, static_cast<int>(bound)));
    line("_bucket", withBound, std::to_string(below));
  }
  withBound.back().second = "+Inf";
  const std::string all = std::to_string(totalOf(times));
  line("_bucket", withBound, all);
  line("_sum", labels, fmt::format("{}", estimatedSum(times)));
  line("_count", labels, all);
}

void PrometheusText::line(std::string_view suffix, const PrometheusLabels& labels, std::string_view value) {
  text_ += name_;
  text_ += suffix;
  char before = '{';
  for (const auto& [label, content] : labels) {
    text_ += fmt::format("{}{}=\"{}\"", before, label, escaped(content, true));
    before = ',';
  }
  text_ += fmt::format("{} {}\n", labels.empty() ? "" : "}", value);
}

}  // namespace polyrail::cli
