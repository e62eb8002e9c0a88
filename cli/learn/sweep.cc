// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "cli/learn/default_choice.h"
#include "cli/learn/statistics.h"

namespace polyrail::cli {
namespace {

// How a row was measured. Rows that differ in it are different experiments even inside one context.
struct Manner {
  std::string type, redop;
  int graph = 0, aggregated = 1;
  bool cpuTime = false;
  auto operator<=>(const Manner&) const = default;
};

struct Shape {
  nccl::Collective collective;
  uint64_t nodes, ranks;
  auto operator<=>(const Shape&) const = default;
};

// One usable row, with what it belongs to.
struct Measured {
  Shape shape;
  Manner manner;
  std::optional<Arm> arm;
  size_t run;
  uint64_t key;
  const Row* row;
};

Manner mannerOf(const Run& run, const Row& row) {
  return {row.type, row.redop, run.settings.graph.value_or(0), run.settings.aggregated.value_or(1),
          run.settings.cpuTime};
}

std::string describe(const Manner& m) {
  return fmt::format("{} {}{}{}{}", m.type, m.redop, m.graph ? ", CUDA graphs" : "",
                     m.aggregated > 1 ? fmt::format(", {} aggregated", m.aggregated) : "",
                     m.cpuTime ? ", CPU time" : "");
}

std::string place(const Run& run) { return run.line ? fmt::format("{}:{}", run.file, run.line) : run.file; }

// A time that is 0, negative or no number was not measured.
bool isTime(const std::optional<Placement>& p) { return p && p->timeUs > 0 && std::isfinite(p->timeUs); }

class Sorter {
 public:
  explicit Sorter(const std::vector<const Run*>& runs) : runs_(runs) {
    for (size_t i = 0; i < runs.size(); i++) take(i);
  }
  std::vector<Measured> rows;
  std::set<std::string> notes;

 private:
  void take(size_t index) {
    const Run& run = *runs_[index];
    if (!run.collective) {
      notes.insert(
          fmt::format("{} is not a collective that a tuner steers",
                      run.collectiveText.empty() ? "an unnamed test (" + run.file + ")" : run.collectiveText));
    } else if (!run.ranks || !run.nodes) {
      notes.insert(fmt::format("{}: {} not known; --ranks and --nodes say it for such files", place(run),
                               run.ranks ? "nodes are" : "ranks are"));
    } else if (*run.nodes == 0 || *run.ranks < 2 || *run.ranks % *run.nodes != 0) {
      notes.insert(fmt::format("{}: {} ranks on {} nodes are no layout a policy can name", place(run), *run.ranks,
                               *run.nodes));
    } else {
      for (const Row& row : run.rows) take(index, row);
    }
  }

  void take(size_t index, const Row& row) {
    const Run& run = *runs_[index];
    const uint64_t key = nccl::keyedPerRank(*run.collective) ? row.sizeBytes / *run.ranks : row.sizeBytes;
    if (key == 0 || (!isTime(row.outOfPlace) && !isTime(row.inPlace))) return;
    const Result<std::optional<Arm>> arm = armOf(run, row);
    if (!arm.ok()) {
      notes.insert(fmt::format("{}: {}", place(run), arm.message()));
      return;
    }
    rows.push_back({{*run.collective, *run.nodes, *run.ranks}, mannerOf(run, row), arm.value(), index, key, &row});
  }

  const std::vector<const Run*>& runs_;
};

// Ascending, those within 1 % of the first of a group left out.
std::vector<uint64_t> distinctSizes(std::vector<uint64_t> keys) {
  std::sort(keys.begin(), keys.end());
  std::vector<uint64_t> kept;
  for (uint64_t key : keys)
    if (kept.empty() || static_cast<double>(key) > 1.01 * static_cast<double>(kept.back())) kept.push_back(key);
  return kept;
}

size_t sizeIndex(const std::vector<uint64_t>& sizes, uint64_t key) {
  return static_cast<size_t>(std::upper_bound(sizes.begin(), sizes.end(), key) - sizes.begin()) - 1;
}

// A run that prints a size several times (-N cycles) has measured it once, by the median: cycles share one launch.
using Cells = std::map<size_t, std::array<std::vector<double>, kPlacements>>;

Times timesOf(Cells& cells, size_t sizes) {
  Times times(sizes, {kNoTime, kNoTime});
  for (auto& [size, cell] : cells)
    for (size_t p = 0; p < kPlacements; p++) times[size][p] = median(cell[p]);
  return times;
}

void addTime(const std::optional<Placement>& placement, std::vector<double>& times) {
  if (isTime(placement)) times.push_back(std::log(placement->timeUs));
}

void addWrong(const Row& row, double& sum) {
  for (const auto& placement : {row.outOfPlace, row.inPlace})
    if (placement && placement->wrong) sum = (std::isnan(sum) ? 0 : sum) + *placement->wrong;
}

// All rows of one arm, which are together and sorted by run.
Series seriesOf(const Measured* begin, const Measured* end, const std::vector<uint64_t>& sizes) {
  Series series{begin->arm, {}, std::vector<double>(sizes.size(), kNoTime)};
  for (const Measured* m = begin; m != end;) {
    Cells cells;
    const size_t run = m->run;
    for (; m != end && m->run == run; m++) {
      const size_t size = sizeIndex(sizes, m->key);
      addTime(m->row->outOfPlace, cells[size][0]);
      addTime(m->row->inPlace, cells[size][1]);
      addWrong(*m->row, series.wrong[size]);
    }
    series.runs.push_back(timesOf(cells, sizes.size()));
  }
  return series;
}

// Rows of one shape, all measured in one manner and sorted by arm and run.
Sweep sweepOf(const Measured* begin, const Measured* end, const std::vector<const Run*>& runs) {
  Sweep sweep;
  sweep.collective = begin->shape.collective;
  sweep.nodes = begin->shape.nodes;
  sweep.ranks = begin->shape.ranks;
  sweep.type = begin->manner.type;
  sweep.redop = begin->manner.redop;
  std::vector<uint64_t> keys;
  for (const Measured* m = begin; m != end; m++) keys.push_back(m->key);
  sweep.sizes = distinctSizes(std::move(keys));
  for (const Measured* m = begin; m != end;) {
    const Measured* last = m;
    while (last != end && last->arm == m->arm) last++;
    sweep.series.push_back(seriesOf(m, last, sweep.sizes));
    m = last;
  }
  std::vector<const Run*> alike;
  for (const Run* run : runs)
    if (run->ranks == sweep.ranks && run->nodes == sweep.nodes) alike.push_back(run);
  describeDefault(alike, sweep);
  rebuildDefault(sweep);
  return sweep;
}

// The manner with most rows; the others are left aside with a note.
Manner commonest(const Measured* begin, const Measured* end, std::set<std::string>& notes) {
  std::map<Manner, size_t> count;
  for (const Measured* m = begin; m != end; m++) count[m->manner]++;
  const auto best =
      std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  for (const auto& [manner, rows] : count)
    if (manner != best->first)
      notes.insert(fmt::format("{} on {} ranks: {} rows measured with {} left aside, learning from those with {}",
                               nccl::name(begin->shape.collective), begin->shape.ranks, rows, describe(manner),
                               describe(best->first)));
  return best->first;
}

}  // namespace

uint64_t Series::times(size_t size) const {
  uint64_t count = 0;
  for (const Times& run : runs)
    for (double t : run[size]) count += !std::isnan(t);
  return count;
}

Sweeps makeSweeps(const std::vector<const Run*>& runs) {
  Sorter sorted(runs);
  std::vector<Measured>& rows = sorted.rows;
  std::stable_sort(rows.begin(), rows.end(), [](const Measured& a, const Measured& b) {
    return std::tie(a.shape, a.manner, a.arm, a.run) < std::tie(b.shape, b.manner, b.arm, b.run);
  });
  Sweeps result;
  const Measured* end = rows.data() + rows.size();
  for (const Measured* m = rows.data(); m != end;) {
    const Measured* last = std::find_if(m, end, [m](const Measured& o) { return o.shape != m->shape; });
    const Manner manner = commonest(m, last, sorted.notes);
    const Measured* from = std::find_if(m, last, [&](const Measured& o) { return o.manner == manner; });
    const Measured* to = std::find_if(from, last, [&](const Measured& o) { return o.manner != manner; });
    result.sweeps.push_back(sweepOf(from, to, runs));
    m = last;
  }
  result.notes.assign(sorted.notes.begin(), sorted.notes.end());
  return result;
}

}  // namespace polyrail::cli
