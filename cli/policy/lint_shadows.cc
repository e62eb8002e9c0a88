// SPDX-License-Identifier: Apache-2.0
// Rules that never decide, because earlier ones take everything they hold for. The first rule in the file's order
// that holds decides, so what counts is the union of all earlier ones of the same collective.
#include <fmt/format.h>

#include <algorithm>

#include "cli/policy/cover.h"
#include "cli/policy/lint.h"

namespace polyrail {
namespace {

constexpr Range kAny = {0, kNoLimit};
// Comparisons of two rules after which the search gives up; some seconds.
constexpr size_t kMostWork = 100'000'000;

// 0 stands for "not told", which an ABI before v5 gives.
Range domains(const std::optional<Range>& asked, bool tableAsks) {
  if (!tableAsks) return kAny;
  const Range range = asked.value_or(kAny);
  return {std::max<uint64_t>(range.min, 1), range.max};
}

// 0 not told (ABI before v4), 1 not registered, 2 registered.
Range registration(const std::optional<bool>& asked) {
  if (!asked) return {0, 2};
  return *asked ? Range{2, 2} : Range{1, 1};
}

Box boxOf(const Table& table, const Rule& rule) {
  const Layout& l = table.layout;
  const bool asks = l.nvlDomains || l.ranksPerNvlDomain;
  return {{{std::max<uint64_t>(l.nodes.min, 1), l.nodes.max},
           {std::max<uint64_t>(l.ranksPerNode.min, 1), l.ranksPerNode.max},
           domains(l.nvlDomains, asks),
           domains(l.ranksPerNvlDomain, asks),
           {rule.from, rule.to - 1},
           rule.pipeOps.value_or(kAny),
           registration(rule.regBuff)}};
}

// The rules of one collective seen so far.
struct Earlier {
  std::vector<Box> boxes;
  std::vector<PolicyPlace> places;
};

class ShadowSearch {
 public:
  ShadowSearch(const Policy& policy, Findings& out) : policy_(policy), out_(out) {}

  void run() {
    forEachRule(policy_, [&](const Table& table, const Rule& rule, const PolicyPlace& place) {
      if (work_ > kMostWork) return;
      Earlier& earlier = earlier_[static_cast<size_t>(table.collective)];
      const Box box = boxOf(table, rule);
      look(box, earlier, place);
      earlier.boxes.push_back(box);
      earlier.places.push_back(place);
    });
    if (work_ > kMostWork)
      out_.push_back(
          {Severity::kNote, "shadow-search-ended", {}, "too many rules to look for all shadowed ones", ""});
  }

 private:
  void look(const Box& box, const Earlier& earlier, const PolicyPlace& place) {
    const auto meets = [&](const Box& other) { return overlaps(box, other); };
    const auto first = std::find_if(earlier.boxes.begin(), earlier.boxes.end(), meets);
    work_ += earlier.boxes.size();
    if (first == earlier.boxes.end()) return;
    const std::span<const Box> from(first, earlier.boxes.end());
    if (!isCovered(box, from).value_or(false)) return;
    const PolicyPlace& by = earlier.places[static_cast<size_t>(first - earlier.boxes.begin())];
    out_.push_back(
        {Severity::kWarning, "shadowed-rule", place,
         fmt::format("never decides: earlier rules hold for all of its sizes and communicators, {} first", by.text()),
         "remove it, or move it before them"});
  }

  const Policy& policy_;
  Findings& out_;
  size_t work_ = 0;
  std::array<Earlier, nccl::kNumCollectives> earlier_;
};

}  // namespace

void lintShadows(const Policy& policy, Findings& out) { ShadowSearch(policy, out).run(); }

}  // namespace polyrail
