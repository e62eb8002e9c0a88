// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/rule_builder.h"

#include <algorithm>

#include "cli/learn/statistics.h"
#include "cli/learn/time_model.h"

namespace polyrail::cli {
namespace {

std::vector<TimePoint> pointsOf(const Sweep& sweep, const Series& series, size_t first, size_t last) {
  std::vector<TimePoint> points;
  for (size_t s = first; s <= last && s < sweep.sizes.size(); s++)
    if (const double us = typicalUs(series, s); !std::isnan(us))
      points.push_back({static_cast<double>(sweep.totalBytes(s)) / (1 << 20), us});
  return points;
}

// A single size shows no slope: its neighbours, where the arm was measured too, lend theirs.
std::optional<TimeModel> timeOf(const Sweep& sweep, const Series& series, const Span& span) {
  std::vector<TimePoint> points = pointsOf(sweep, series, span.first, span.last);
  if (points.size() < 2) points = pointsOf(sweep, series, span.first ? span.first - 1 : 0, span.last + 1);
  return fitTime(points);
}

Choice choiceOf(const Sweep& sweep, size_t series, const Span& span) {
  const Arm& arm = *sweep.series[series].arm;
  return {arm.algorithm, arm.protocol, arm.channels, {}, timeOf(sweep, sweep.series[series], span)};
}

bool stands(const Comparison& c, size_t series, const Span& span) {
  size_t wins = 0;
  for (size_t s = span.first; s <= span.last; s++) {
    const Compared& cell = c.cells[series][s];
    const bool faster = cell.verdict == Verdict::kWins || cell.verdict == Verdict::kWithinNoise;
    if (!faster || cell.gain <= 0) return false;
    wins += cell.verdict == Verdict::kWins;
  }
  return 2 * wins >= span.last - span.first + 1;
}

double meanGain(const Comparison& c, size_t series, const Span& span) {
  double sum = 0;
  for (size_t s = span.first; s <= span.last; s++) sum += c.cells[series][s].gain;
  return sum / static_cast<double>(span.last - span.first + 1);
}

bool samePair(const Choice& choice, const Arm& arm) {
  return choice.algorithm == arm.algorithm && choice.protocol == arm.protocol;
}

void addFallbacks(const Sweep& sweep, const Comparison& c, const Span& span, std::vector<Choice>& choices) {
  std::vector<size_t> order;
  for (size_t i = 1; i < sweep.series.size(); i++)
    if (sweep.series[i].arm && stands(c, i, span)) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return meanGain(c, a, span) > meanGain(c, b, span); });
  for (size_t i : order) {
    const auto taken = [&](const Choice& choice) { return samePair(choice, *sweep.series[i].arm); };
    if (choices.size() < 3 && std::none_of(choices.begin(), choices.end(), taken))
      choices.push_back(choiceOf(sweep, i, span));
  }
}

Evidence evidenceOf(const Sweep& sweep, const Comparison& c, const Span& span, double confidence) {
  Evidence e;
  double gain = 0, low = 0, high = 0, detectable = 0, sizes = 0;
  for (size_t s = span.first; s <= span.last; s++) {
    size_t compared = 0;
    for (const auto& row : c.cells) compared += row[s].needed > 0;
    e.candidates = std::max<uint64_t>(e.candidates, compared);
    const Compared& cell = c.cells[span.series][s];
    if (cell.verdict == Verdict::kNotMeasured) continue;
    e.samples += sweep.series[span.series].times(s);
    gain += cell.gain, low += cell.low, high += cell.high, detectable += c.detectable[s], sizes++;
    const double wrong = sweep.series[span.series].wrong[s];
    if (!std::isnan(wrong)) e.wrong = e.wrong.value_or(0) + static_cast<uint64_t>(wrong);
  }
  // The bounds hold for all sizes at once, so their means bound the mean gain.
  e.gain = saved(gain / sizes), e.gainLow = saved(low / sizes), e.gainHigh = saved(high / sizes);
  e.minimumDetectable = detectable / sizes;
  e.confidence = confidence;
  e.ll128Default = sweep.ll128Default;
  return e;
}

}  // namespace

Rule buildRule(const Sweep& sweep, const Comparison& comparison, const Span& span, const Interval& bytes,
               double confidence) {
  Rule rule;
  rule.from = bytes.from;
  rule.to = bytes.to;
  rule.choices.push_back(choiceOf(sweep, span.series, span));
  addFallbacks(sweep, comparison, span, rule.choices);
  rule.evidence = evidenceOf(sweep, comparison, span, confidence);
  return rule;
}

}  // namespace polyrail::cli
