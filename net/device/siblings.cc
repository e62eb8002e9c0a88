// SPDX-License-Identifier: Apache-2.0
#include "net/device/siblings.h"

#include <algorithm>

namespace polyrail::net {
namespace {

// A card's data-direct interface and its usual one share the cable.
bool oneCable(const Port& a, const Port& b) { return a.device == b.device && a.number == b.number; }

}  // namespace

std::vector<int> siblingsOf(std::span<const int> own, const std::vector<Port>& ports, const Locality& locality,
                            size_t most) {
  const Port& first = ports[static_cast<size_t>(own.front())];
  std::vector<int> found;
  for (size_t step = 1; step < ports.size(); step++) {
    const size_t i = (static_cast<size_t>(own.back()) + step) % ports.size();
    const auto same = [&](int other) { return oneCable(ports[i], ports[static_cast<size_t>(other)]); };
    if (ports[i].link != first.link || std::any_of(own.begin(), own.end(), same) ||
        std::any_of(found.begin(), found.end(), same))
      continue;
    found.push_back(static_cast<int>(i));
  }
  const std::vector<Distance>& from = locality.between[static_cast<size_t>(own.front())];
  std::stable_sort(found.begin(), found.end(),
                   [&](int a, int b) { return from[static_cast<size_t>(a)] < from[static_cast<size_t>(b)]; });
  found.resize(std::min(found.size(), most));
  return found;
}

}  // namespace polyrail::net
