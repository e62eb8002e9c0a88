// SPDX-License-Identifier: Apache-2.0
#include "tuner/shape.h"

namespace polyrail {
namespace {

bool domainsFit(const Layout& layout, const std::optional<NvlDomains>& nvl) {
  if (!layout.nvlDomains && !layout.ranksPerNvlDomain) return true;
  if (!nvl) return false;
  if (layout.nvlDomains && !layout.nvlDomains->contains(nvl->count)) return false;
  const std::optional<Range>& each = layout.ranksPerNvlDomain;
  return !each || (each->contains(nvl->minRanks) && each->contains(nvl->maxRanks));
}

}  // namespace

bool fits(const Layout& layout, const Shape& shape) {
  if (shape.ranks == 0 || shape.nodes == 0 || shape.ranks % shape.nodes != 0) return false;
  return layout.nodes.contains(shape.nodes) && layout.ranksPerNode.contains(shape.ranks / shape.nodes) &&
         domainsFit(layout, shape.nvl);
}

}  // namespace polyrail
