// SPDX-License-Identifier: Apache-2.0
#include "net/telemetry/slow_rails.h"

#include <algorithm>
#include <cstdio>

namespace polyrail::net {
namespace {

constexpr double kSlow = 0.5, kWell = 0.75;  // of the siblings' rate
constexpr double kLonger = 1.5;              // than the siblings' latency

double middle(std::vector<double> values) {
  const auto at = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// A rail of half the speed is expected to do half.
double pace(const RailLoad& load) { return load.rate / (load.speedMbps ? load.speedMbps : 1); }

bool isLoaded(const RailLoad& load) { return load.bytes >= SlowRails::kLoaded && load.rate > 0; }

// The middle of the others that are loaded; nothing when none is.
struct Siblings {
  double pace = 0, latency = 0;
  std::string names;
};

std::optional<Siblings> siblingsOf(size_t rail, std::span<const RailLoad> loads) {
  std::vector<double> paces, latencies;
  Siblings s;
  for (size_t r = 0; r < loads.size(); r++) {
    if (r == rail || !isLoaded(loads[r])) continue;
    paces.push_back(pace(loads[r]));
    latencies.push_back(loads[r].latency);
    char text[96];
    std::snprintf(text, sizeof text, "%s%s %.1f", s.names.empty() ? "" : ", ", loads[r].name.c_str(),
                  loads[r].rate * 8e-9);
    s.names += text;
  }
  if (paces.empty()) return std::nullopt;
  s.pace = middle(std::move(paces));
  s.latency = middle(std::move(latencies));
  return s;
}

std::string slowText(const RailLoad& load, const Siblings& siblings) {
  char numbers[160];
  std::snprintf(numbers, sizeof numbers, "%s is slow: %.1f Gb/s under load, %.0f %% of what its siblings do (",
                load.name.c_str(), load.rate * 8e-9, 100 * pace(load) / siblings.pace);
  std::string text = numbers + siblings.names + "); traffic goes around it by rate. Look at its link's speed and " +
                     "width (ibstat, ethtool), symbol errors and pauses (perfquery, ethtool -S), PCI width " +
                     "(lspci -vv), cable and switch port";
  if (!load.severalPeers && !load.peer.empty())
    text += "; all of it goes to " + load.peer + ", which may be the slow end";
  return text;
}

std::string wellText(const RailLoad& load, const Siblings& siblings) {
  char text[160];
  std::snprintf(text, sizeof text, "%s is no longer slow: %.1f Gb/s under load, %.0f %% of what its siblings do",
                load.name.c_str(), load.rate * 8e-9, 100 * pace(load) / siblings.pace);
  return text;
}

}  // namespace

std::optional<SlowRails::Verdict> SlowRails::judge(size_t rail, std::span<const RailLoad> loads) {
  Rail& r = rails_[rail];
  const RailLoad& load = loads[rail];
  const std::optional<Siblings> siblings = isLoaded(load) ? siblingsOf(rail, loads) : std::nullopt;
  if (!siblings) return std::nullopt;
  const bool slow = pace(load) < kSlow * siblings->pace && load.latency > kLonger * siblings->latency;
  const bool well = pace(load) > kWell * siblings->pace;
  r.turns = (r.named ? well : slow) ? r.turns + 1 : 0;
  if (r.turns < kTurns) return std::nullopt;
  r.turns = 0;
  r.named = !r.named;
  return Verdict{rail, r.named, r.named ? slowText(load, *siblings) : wellText(load, *siblings)};
}

std::vector<SlowRails::Verdict> SlowRails::judge(std::span<const RailLoad> loads) {
  std::vector<Verdict> verdicts;
  rails_.resize(loads.size());
  for (size_t r = 0; r < loads.size(); r++)
    if (std::optional<Verdict> v = judge(r, loads)) verdicts.push_back(std::move(*v));
  return verdicts;
}

}  // namespace polyrail::net
