// SPDX-License-Identifier: Apache-2.0
#include "common/policy/place.h"

namespace polyrail {
namespace {

struct Step {
  const char* list;
  std::optional<size_t> index;
};

std::array<Step, 4> steps(const PolicyPlace& p) {
  return {{{"constants", p.constant}, {"tables", p.table}, {"rules", p.rule}, {"choices", p.choice}}};
}

}  // namespace

std::string PolicyPlace::text() const {
  std::string path;
  for (const Step& step : steps(*this))
    if (step.index)
      path += (path.empty() ? "" : ".") + std::string(step.list) + "[" + std::to_string(*step.index) + "]";
  if (*key) path += (path.empty() ? "" : ".") + std::string(key);
  return path;
}

uint32_t lineOf(const JsonTree& tree, const PolicyPlace& place) {
  const JsonNode* at = &tree.root();
  for (const Step& step : steps(place)) {
    if (!step.index) continue;
    const JsonNode* list = tree.find(*at, step.list);
    const JsonNode* entry = list ? tree.element(*list, *step.index) : nullptr;
    if (!entry) return at->line;
    at = entry;
  }
  const JsonNode* value = tree.find(*at, place.key);
  return value ? value->line : at->line;
}

}  // namespace polyrail
