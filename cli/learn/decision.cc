// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/decision.h"

#include <fmt/format.h>

#include "cli/learn/rule_builder.h"

namespace polyrail::cli {
namespace {

struct Place {
  size_t series = 0, size = 0;
};

// The arm and size of the span with the largest gain; the default (0) when nothing was faster anywhere.
Place fastest(const Comparison& c, const Span& span) {
  Place best;
  double gain = 0;
  for (size_t i = 1; i < c.cells.size(); i++)
    for (size_t s = span.first; s <= span.last; s++)
      if (const Compared& cell = c.cells[i][s]; cell.needed > 0 && cell.gain > gain) gain = cell.gain, best = {i, s};
  return best;
}

bool anyCompared(const Comparison& c, const Span& span) {
  for (const auto& row : c.cells)
    for (size_t s = span.first; s <= span.last; s++)
      if (row[s].needed > 0) return true;
  return false;
}

std::string whyDefault(const Sweep& sweep, const Comparison& c, const Span& span) {
  if (!anyCompared(c, span)) return "no other choice was measured beside the default";
  const Place best = fastest(c, span);
  if (best.series == 0) return "nothing measured is faster than the default";
  const Compared& cell = c.cells[best.series][best.size];
  const std::string which =
      fmt::format("{} saves at best {:.1f} %", describe(sweep.series[best.series].arm), 100 * saved(cell.gain));
  if (cell.verdict == Verdict::kWins) return which + ", on too few sizes for a rule";
  if (cell.verdict == Verdict::kWithinNoise)
    return fmt::format("{}, for certain {:.1f} %, and {:.1f} % are needed", which, 100 * saved(cell.low),
                       100 * cell.needed);
  return fmt::format("{}, but {}", which, explain(cell.verdict));
}

}  // namespace

std::vector<Decision> decide(const Sweep& sweep, const LearnOptions& options) {
  const auto unknown = [&](const char* reason) {
    const Interval all{sweep.sizes.front(), sweep.sizes.back() + 1};
    return std::vector<Decision>{{sweep.collective, sweep.ranks, sweep.nodes, all, {}, reason}};
  };
  if (sweep.sizes.empty()) return {};
  if (!sweep.byDefault()) return unknown("NCCL's default was not measured, and no log says what it is");
  if (sweep.series.size() == 1) return unknown("only NCCL's default was measured");

  const Comparison comparison = compare(sweep, options);
  const std::vector<Span> spans = selectSpans(sweep, comparison, options);
  const std::vector<Interval> intervals = intervalsOf(sweep, comparison, spans);
  std::vector<Decision> decisions;
  for (size_t i = 0; i < spans.size(); i++) {
    Decision d{sweep.collective, sweep.ranks, sweep.nodes, intervals[i], {}, {}};
    if (spans[i].series == 0) {
      d.reason = whyDefault(sweep, comparison, spans[i]);
    } else {
      d.rule = buildRule(sweep, comparison, spans[i], intervals[i], options.confidence);
      d.reason = "faster than the default for certain";
    }
    decisions.push_back(std::move(d));
  }
  return decisions;
}

}  // namespace polyrail::cli
