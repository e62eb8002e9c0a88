// SPDX-License-Identifier: Apache-2.0
#include "net/telemetry/names.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace polyrail::net {
namespace {

constexpr const char* kRailStates[] = {"unused", "up", "down", "lost"};
constexpr const char* kCommStates[] = {"unused", "open", "failed"};
constexpr const char* kCommKinds[] = {"send", "receive"};
constexpr const char* kPathPhases[] = {"unused", "live", "broken", "fenced", "making", "proving"};
constexpr const char* kEventKinds[] = {"none", "opened", "failed", "stopped", "fence",  "fenced", "grants",
                                       "made", "probe",  "live",   "gave-up", "detour", "ended"};

template <typename Enum, size_t n>
const char* nameIn(const char* const (&names)[n], Enum value) {
  const size_t index = static_cast<size_t>(value);
  return index < n ? names[index] : "?";
}

}  // namespace

const char* nameOf(RailState state) { return nameIn(kRailStates, state); }
const char* nameOf(CommState state) { return nameIn(kCommStates, state); }
const char* nameOf(CommKind kind) { return nameIn(kCommKinds, kind); }
const char* nameOf(PathPhase phase) { return nameIn(kPathPhases, phase); }
const char* nameOf(EventKind kind) { return nameIn(kEventKinds, kind); }

std::string textIn(const char* field, size_t bytes) {
  std::string text(field, strnlen(field, bytes));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

void putText(char* field, size_t bytes, const std::string& text) {
  const size_t length = std::min(text.size(), bytes - 1);
  std::memcpy(field, text.data(), length);
  std::memset(field + length, 0, bytes - length);
}

unsigned bucketOf(int64_t ns) {
  const unsigned width = static_cast<unsigned>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(ns, 1))));
  return std::min<unsigned>(width, std::tuple_size_v<LatencyHistogram>) - 1;
}

int64_t quantile(const LatencyHistogram& histogram, double share) {
  double all = 0;
  for (const uint64_t n : histogram) all += static_cast<double>(n);
  if (all == 0) return 0;
  double below = 0;
  for (size_t b = 0; b < histogram.size(); b++) {
    below += static_cast<double>(histogram[b]);
    if (below >= share * all) return int64_t{2} << b;
  }
  return int64_t{2} << (histogram.size() - 1);
}

}  // namespace polyrail::net
