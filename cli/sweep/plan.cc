// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/plan.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace polyrail::sweep {
namespace {

constexpr int kMostRanks = 1 << 20;
constexpr uint64_t kMostBytes = uint64_t{1} << 40;
constexpr size_t kMostRuns = 100'000;

struct Range {
  const char* name;
  double value, least, most;
};

Status checkRanges(const Plan& p) {
  const Range ranges[] = {{"factor", double(p.factor), 2, 1 << 20}, {"iterations", double(p.iterations), 1, 1e9},
                          {"warmup", double(p.warmups), 0, 1e9},    {"repeats", double(p.repeats), 1, 100},
                          {"attempts", double(p.attempts), 1, 100}, {"timeout", p.timeout, 0.1, 7 * 86400}};
  for (const Range& r : ranges)
    if (!(r.value >= r.least && r.value <= r.most))
      return Status::error(fmt::format("{}: {:g} is out of range, {:g} to {:g}", r.name, r.value, r.least, r.most));
  return {};
}

Status checkLists(const Plan& p) {
  if (p.collectives.empty()) return Status::error("collectives: none");
  if (p.layouts.empty()) return Status::error("layouts: none; say on how many nodes and ranks, as 2x8");
  for (const Layout& l : p.layouts)
    if (l.nodes < 1 || l.ranksPerNode < 1 || int64_t{l.nodes} * l.ranksPerNode > kMostRanks || l.ranks() < 2)
      return Status::error(fmt::format("layouts: {} has no 2 to {} ranks", describe(l), kMostRanks));
  for (const int n : p.channels)
    if (n < 0 || n > nccl::kMaxChannels)
      return Status::error(fmt::format("channels: {} is out of range, 0 (NCCL's own) to {}", n, nccl::kMaxChannels));
  return {};
}

Status checkSizes(const Plan& p) {
  if (p.minBytes < 1 || p.minBytes > p.maxBytes || p.maxBytes > kMostBytes)
    return Status::error(fmt::format("sizes: {} to {} is no range of 1 byte to 1 TiB", p.minBytes, p.maxBytes));
  return {};
}

Status checkArms(const Plan& p) {
  size_t arms = 0;
  for (const nccl::Collective c : p.collectives) {
    const size_t own = armsOf(p, c).size();
    if (own == 0)
      return Status::error(fmt::format("algorithms: NCCL has no kernel for {} with any of them", nccl::name(c)));
    arms += own;
  }
  if (arms * p.layouts.size() * static_cast<size_t>(p.repeats) > kMostRuns)
    return Status::error("plan: more than 100000 runs");
  return {};
}

}  // namespace

Status checkPlan(const Plan& plan) {
  for (Status (*check)(const Plan&) : {checkRanges, checkLists, checkSizes, checkArms})
    if (Status s = check(plan); !s.ok()) return s;
  if (plan.program.empty()) return Status::error("program: none");
  return {};
}

std::vector<uint64_t> sizesOf(const Plan& plan) {
  std::vector<uint64_t> sizes;
  for (uint64_t size = plan.minBytes; size <= plan.maxBytes; size *= static_cast<uint64_t>(plan.factor))
    sizes.push_back(size);
  return sizes;
}

std::vector<cli::Arm> armsOf(const Plan& plan, nccl::Collective collective) {
  std::vector<cli::Arm> arms;
  for (const nccl::Algorithm a : plan.algorithms)
    for (const nccl::Protocol p : plan.protocols)
      for (const int n : plan.channels)
        if (nccl::hasKernel(collective, a, p)) arms.push_back({a, p, n ? std::optional<int>(n) : std::nullopt});
  return arms;
}

Result<Layout> parseLayout(const std::string& text) {
  Layout layout;
  const char* const end = text.data() + text.size();
  const auto [cross, first] = std::from_chars(text.data(), end, layout.nodes);
  if (first == std::errc() && cross != end && *cross == 'x') {
    const auto [rest, second] = std::from_chars(cross + 1, end, layout.ranksPerNode);
    if (second == std::errc() && rest == end) return layout;
  }
  return Status::error(fmt::format("layout '{}' is not of the form NODESxRANKS, as 2x8", text));
}

std::string describe(const Layout& layout) { return fmt::format("{}x{}", layout.nodes, layout.ranksPerNode); }

}  // namespace polyrail::sweep
