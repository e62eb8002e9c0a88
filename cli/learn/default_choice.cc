// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/default_choice.h"

#include <algorithm>

#include "cli/learn/statistics.h"
#include "cli/model/gates.h"

namespace polyrail::cli {
namespace {

bool enablesLl128(const Run& run, nccl::Collective collective) {
  constexpr auto kLl128 = nccl::Protocol::kLl128;
  const auto chose = [=](const LoggedChoice& c) { return c.collective == collective && c.protocol == kLl128; };
  if (std::any_of(run.choices.begin(), run.choices.end(), chose)) return true;
  if (!run.costTable) return false;
  const auto& cells = run.costTable->bandwidthGBs[static_cast<size_t>(collective)];
  return std::any_of(cells.begin(), cells.end(),
                     [](const auto& protocols) { return protocols[static_cast<size_t>(kLl128)] > 0; });
}

constexpr int kUsualPool = 16;

// NCCL's choice by its own cost table; nothing where the table's rounding leaves two choices open.
std::optional<Arm> rebuilt(const Run& run, const Sweep& sweep, size_t size) {
  if (!run.costTable) return std::nullopt;
  nccl::GateContext context;
  context.ranks = sweep.ranks, context.nodes = sweep.nodes;
  context.version = nccl::parseVersion(run.ncclVersion).value_or(nccl::kReferenceVersion);
  context.type = sweep.type, context.redop = sweep.redop;
  context.table = &*run.costTable;
  nccl::ModelShape shape;
  shape.ranks = sweep.ranks, shape.nodes = sweep.nodes, shape.version = context.version;
  shape.pool = std::max(1, run.collChannels.value_or(kUsualPool));
  const nccl::ModelCall call{sweep.collective, sweep.totalBytes(size)};
  nccl::CostTimes times = nccl::predictedTimes(*run.costTable, shape, call);
  nccl::applyGates(context, sweep.collective, times);
  const std::optional<nccl::DefaultChoice> choice = nccl::defaultChoice(*run.costTable, shape, call, times);
  if (!choice || choice->closeCall) return std::nullopt;
  return Arm{choice->algorithm, choice->protocol, {}};
}

const Series* seriesOf(const Sweep& sweep, const std::optional<Arm>& arm) {
  const auto found =
      std::find_if(sweep.series.begin(), sweep.series.end(), [&](const Series& s) { return arm && s.arm == arm; });
  return found == sweep.series.end() ? nullptr : &*found;
}

void takeSize(const Series& from, size_t size, Series& into) {
  const Times nothing(into.wrong.size(), {kNoTime, kNoTime});
  if (into.runs.size() < from.runs.size()) into.runs.resize(from.runs.size(), nothing);
  for (size_t r = 0; r < from.runs.size(); r++) into.runs[r][size] = from.runs[r][size];
  into.wrong[size] = from.wrong[size];
}

}  // namespace

void describeDefault(const std::vector<const Run*>& runs, Sweep& sweep) {
  sweep.defaultChoice.assign(sweep.sizes.size(), std::nullopt);
  std::vector<const Run*> unforced;
  for (const Run* run : runs)
    if (!isForced(run->forced)) unforced.push_back(run);
  for (const Run* run : unforced) {
    sweep.ll128Default = sweep.ll128Default || enablesLl128(*run, sweep.collective);
    if (run->collChannels) sweep.pool = std::max(sweep.pool.value_or(0), *run->collChannels);
  }
  for (const auto source : {+[](const Run&run, const Sweep&s, size_t size) {
                              return loggedChoice(run, s.collective, s.totalBytes(size));
                            },
                            +[](const Run&run, const Sweep&s, size_t size) { return rebuilt(run, s, size); }})
    for (const Run* run : unforced)
      for (size_t s = 0; s < sweep.sizes.size(); s++)
        if (!sweep.defaultChoice[s]) sweep.defaultChoice[s] = source(*run, sweep, s);
}

void rebuildDefault(Sweep& sweep) {
  if (sweep.byDefault()) return;
  Series rebuilt{{}, {}, std::vector<double>(sweep.sizes.size(), kNoTime)};
  for (size_t s = 0; s < sweep.sizes.size(); s++)
    if (const Series* stand = seriesOf(sweep, sweep.defaultChoice[s])) takeSize(*stand, s, rebuilt);
  if (rebuilt.runs.empty()) return;
  sweep.series.insert(sweep.series.begin(), std::move(rebuilt));
  sweep.defaultRebuilt = true;
}

}  // namespace polyrail::cli
