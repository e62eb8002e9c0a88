// SPDX-License-Identifier: Apache-2.0
// Channel counts that are not what will run.
#include <fmt/format.h>

#include <algorithm>

#include "cli/output/units.h"
#include "cli/policy/lint.h"
#include "tuner/channels.h"

namespace polyrail {
namespace {

constexpr uint64_t kMostNodes = 1024, kMostPerNode = 72;  // where an open layout is taken to end

uint64_t saturatingProduct(uint64_t a, uint64_t b) { return b != 0 && a > kNoLimit / b ? kNoLimit : a * b; }

nccl::ChannelQuestion question(const Table& table, const Choice& choice, uint64_t nodes, uint64_t each) {
  nccl::ChannelQuestion q;
  q.collective = table.collective;
  q.algorithm = choice.algorithm;
  q.protocol = choice.protocol;
  q.nodes = static_cast<int>(nodes);
  q.ranks = static_cast<int>(std::max<uint64_t>(nodes * each, 2));
  q.pool = q.nvlsChannels = nccl::kMaxChannels;  // the pool is another check
  return q;
}

bool reachableWith(const nccl::ChannelQuestion& q, const Rule& rule, int channels) {
  const uint64_t unit = nccl::keyedPerRank(q.collective) ? static_cast<uint64_t>(q.ranks) : 1;
  const uint64_t last = rule.to == kNoLimit ? kNoLimit : rule.to - 1;
  // 2^50 bytes stand for "no limit": far beyond any buffer, and no sum below overflows.
  constexpr uint64_t kHuge = uint64_t{1} << 50;
  return channelsReachable(q, channels, std::min(saturatingProduct(rule.from, unit), kHuge - 1),
                           std::min(saturatingProduct(last, unit), kHuge));
}

// The smallest and the largest shape of the layout; traffic per channel is monotone between them.
std::vector<nccl::ChannelQuestion> corners(const Table& table, const Choice& choice) {
  const uint64_t fewNodes = std::clamp<uint64_t>(table.layout.nodes.min, 1, kMostNodes);
  const uint64_t fewEach = std::clamp<uint64_t>(table.layout.ranksPerNode.min, 1, kMostPerNode);
  return {question(table, choice, fewNodes, fewEach),
          question(table, choice, std::clamp(table.layout.nodes.max, fewNodes, kMostNodes),
                   std::clamp(table.layout.ranksPerNode.max, fewEach, kMostPerNode))};
}

void lintUnreachable(const Table& table, const Rule& rule, const Choice& choice, PolicyPlace place, Findings& out) {
  const auto shapes = corners(table, choice);
  const auto runs = [&](const nccl::ChannelQuestion& q) { return reachableWith(q, rule, *choice.channels); };
  if (std::any_of(shapes.begin(), shapes.end(), runs)) return;
  const uint64_t unit = nccl::keyedPerRank(table.collective) ? static_cast<uint64_t>(shapes[0].ranks) : 1;
  const uint64_t least = (leastBytesFor(shapes[0], *choice.channels) + unit - 1) / unit;
  place.key = "channels";
  out.push_back({Severity::kWarning, "unreachable-channels", place,
                 fmt::format("{} channels never run at these sizes: NCCL starts that many from {} on",
                             *choice.channels, cli::humanBytes(least)),
                 "lower it to what runs, or leave it out; `polyrail explain` shows the number"});
}

void lintPool(const Table& table, const Choice& choice, PolicyPlace place, Findings& out) {
  if (!table.maxChannels || *choice.channels <= *table.maxChannels) return;
  place.key = "channels";
  out.push_back({Severity::kWarning, "channels-over-pool", place,
                 fmt::format("{} channels, but the table's max_channels is {}; the tuner caps it", *choice.channels,
                             *table.maxChannels),
                 "lower it"});
}

void lintIgnored(const Policy& policy, const Table& table, const Choice& choice, PolicyPlace place, Findings& out) {
  place.key = "channels";
  if (nccl::isCollNet(choice.algorithm))
    out.push_back({Severity::kWarning, "collnet-channels", place,
                   "the tuner never sets CollNet's channels, because NCCL does not clamp them", "leave them out"});
  else if (table.collective == nccl::Collective::kAllGather && !policy.options.allGatherChannels)
    out.push_back({Severity::kNote, "allgather-channels", place,
                   "AllGather's channels are not set on NCCL 2.28 and newer without options.allgather_channels", ""});
}

void lintPoolUnknown(const Policy& policy, Findings& out) {
  for (size_t t = 0; t < policy.tables.size(); t++) {
    const Table& table = policy.tables[t];
    const auto sets = [](const Rule& rule) {
      return std::any_of(rule.choices.begin(), rule.choices.end(), [](const Choice& c) { return c.channels; });
    };
    if (table.maxChannels || std::none_of(table.rules.begin(), table.rules.end(), sets)) continue;
    const bool dangerous = table.collective == nccl::Collective::kAllGather && policy.options.allGatherChannels;
    out.push_back({dangerous ? Severity::kError : Severity::kNote, "pool-unknown", placeOf(t),
                   dangerous ? "sets AllGather's channels without max_channels: a grouped broadcast that gets more "
                               "than the communicator has runs on channels that do not exist"
                             : "sets channels, but does not say how many the communicator had (max_channels)",
                   "add max_channels from the log's \"coll channels\""});
  }
}

}  // namespace

void lintChannels(const Policy& policy, Findings& out) {
  forEachChoice(policy, [&](const Table& table, const Rule& rule, const Choice& choice, const PolicyPlace& place) {
    if (!choice.channels) return;
    lintIgnored(policy, table, choice, place, out);
    lintPool(table, choice, place, out);
    if (!nccl::isCollNet(choice.algorithm)) lintUnreachable(table, rule, choice, place, out);
  });
  lintPoolUnknown(policy, out);
}

}  // namespace polyrail
