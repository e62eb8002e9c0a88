// SPDX-License-Identifier: Apache-2.0
#include "cli/perf/content.h"

#include <fmt/format.h>

#include <algorithm>

namespace polyrail::cli {
namespace {

// Apart from the numbers of slots, whose patterns a stamped series leaves behind.
constexpr uint64_t kFreshPatterns = uint64_t{1} << 32;
constexpr uint64_t kNothing = ~uint64_t{0};

// A stamp in GPU memory would cost a copy a message; those are looked at after the series and in the pass apart.
bool hasStamp(const SeriesEnd& end) {
  return end.content == Content::kStamped && !end.slots.onGpu() && end.slots.size() >= kStampBytes;
}

Result<std::string> checkBytes(const SeriesEnd& end, int slot, uint64_t number, uint64_t pattern, size_t from) {
  const Result<size_t> at = end.slots.firstWrong(slot, pattern, from);
  if (!at.ok()) return at.status();
  if (at.value() == end.slots.size()) return std::string();
  return fmt::format("message {} of {} bytes is wrong from byte {} on", number, end.slots.size(), at.value());
}

Status fillAll(const SeriesEnd& end, bool same) {
  for (int slot = 0; slot < end.slots.count(); slot++)
    if (Status s = end.slots.fill(slot, same ? kNothing : static_cast<uint64_t>(slot)); !s.ok()) return s;
  return {};
}

}  // namespace

Status prepareSlots(const SeriesEnd& end) {
  return end.content == Content::kStamped ? fillAll(end, false) : Status();
}
Status clearSlots(const SeriesEnd& end) { return fillAll(end, true); }

Status writeMessage(const SeriesEnd& end, int slot, uint64_t number) {
  if (end.content == Content::kFresh) return end.slots.fill(slot, kFreshPatterns + number);
  if (hasStamp(end)) stamp(end.slots.at(slot), number);
  return {};
}

Result<std::string> checkMessage(const SeriesEnd& end, int slot, uint64_t number) {
  if (end.content == Content::kFresh) return checkBytes(end, slot, number, kFreshPatterns + number, 0);
  if (!hasStamp(end) || isStamped(end.slots.at(slot), number)) return std::string();
  return fmt::format("message {} of {} bytes does not begin with its number", number, end.slots.size());
}

Result<std::string> checkSlots(const SeriesEnd& end, uint64_t messages) {
  if (end.content == Content::kFresh) return std::string();
  const auto count = static_cast<uint64_t>(end.slots.count());
  for (uint64_t n = messages - std::min(messages, count); n < messages; n++) {
    const int slot = static_cast<int>(n % count);
    Result<std::string> found =
        checkBytes(end, slot, n, static_cast<uint64_t>(slot), hasStamp(end) ? kStampBytes : 0);
    if (!found.ok() || !found.value().empty()) return found;
  }
  return std::string();
}

}  // namespace polyrail::cli
