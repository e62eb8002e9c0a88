// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/default_choice.h"

#include <algorithm>

#include "cli/learn/statistics.h"

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
  for (const Run* run : runs) {
    if (isForced(run->forced)) continue;
    sweep.ll128Default = sweep.ll128Default || enablesLl128(*run, sweep.collective);
    if (run->collChannels) sweep.pool = std::max(sweep.pool.value_or(0), *run->collChannels);
    for (size_t s = 0; s < sweep.sizes.size(); s++)
      if (!sweep.defaultChoice[s]) sweep.defaultChoice[s] = loggedChoice(*run, sweep.collective, sweep.totalBytes(s));
  }
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
