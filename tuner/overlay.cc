// SPDX-License-Identifier: Apache-2.0
#include "tuner/overlay.h"

#include <algorithm>
#include <set>

namespace polyrail {
namespace {

struct Edge {
  uint64_t at;
  uint32_t interval;
  bool opens;
};

std::vector<Edge> sortedEdges(std::span<const Interval> intervals) {
  std::vector<Edge> edges;
  edges.reserve(2 * intervals.size());
  for (uint32_t i = 0; i < intervals.size(); i++) {
    if (intervals[i].first > intervals[i].last) continue;
    edges.push_back({intervals[i].first, i, true});
    if (intervals[i].last != UINT64_MAX) edges.push_back({intervals[i].last + 1, i, false});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });
  return edges;
}

// Appends a stretch at `start` with what shows of `active`, or nothing when that equals the stretch before.
void append(Layers& out, uint64_t start, const std::set<uint32_t>& active, std::span<const Interval> intervals) {
  const uint32_t begin = static_cast<uint32_t>(out.ids.size());
  for (uint32_t i : active) {
    out.ids.push_back(intervals[i].id);
    if (!intervals[i].sheer) break;
  }
  const Stretch added{start, begin, static_cast<uint32_t>(out.ids.size())};
  if (!out.stretches.empty() && std::ranges::equal(out.at(out.stretches.back()), out.at(added)))
    out.ids.resize(begin);
  else
    out.stretches.push_back(added);
}

}  // namespace

std::optional<Layers> overlay(std::span<const Interval> intervals, size_t maxIds) {
  const std::vector<Edge> edges = sortedEdges(intervals);
  Layers out;
  std::set<uint32_t> active;  // by priority
  if (edges.empty() || edges.front().at != 0) append(out, 0, active, intervals);
  for (size_t e = 0; e < edges.size();) {
    const uint64_t at = edges[e].at;
    for (; e < edges.size() && edges[e].at == at; e++) {
      if (edges[e].opens)
        active.insert(edges[e].interval);
      else
        active.erase(edges[e].interval);
    }
    append(out, at, active, intervals);
    if (out.ids.size() > maxIds) return std::nullopt;
  }
  return out;
}

}  // namespace polyrail
