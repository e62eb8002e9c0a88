// SPDX-License-Identifier: Apache-2.0
#include "test/emu/core/units.h"

#include <charconv>
#include <cmath>
#include <span>

namespace polyrail::emu {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr Unit kTimes[] = {{"", 1}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
constexpr Unit kRates[] = {{"", 1},       {"b/s", 1}, {"Kb/s", 1e3}, {"Mb/s", 1e6},
                           {"Gb/s", 1e9}, {"B/s", 8}, {"MB/s", 8e6}, {"GB/s", 8e9}};
constexpr Unit kSizes[] = {{"", 1},     {"B", 1},      {"KB", 1e3},      {"MB", 1e6},
                           {"GB", 1e9}, {"KiB", 1024}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};

std::optional<int64_t> parse(std::string_view text, std::span<const Unit> units) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return std::nullopt;
  std::string_view unit(rest, static_cast<size_t>(text.data() + text.size() - rest));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const Unit& u : units)
    if (u.name == unit && value * u.factor < 9e18) return std::llround(value * u.factor);
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> parseTime(std::string_view text) { return parse(text, kTimes); }
std::optional<int64_t> parseRate(std::string_view text) { return parse(text, kRates); }
std::optional<int64_t> parseBytes(std::string_view text) { return parse(text, kSizes); }

}  // namespace polyrail::emu
