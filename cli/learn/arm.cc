// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/arm.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/model/env_filter.h"

namespace polyrail::cli {
namespace {

// nccl-tests rounds sizes down to whole elements per rank; NCCL logs the rounded number.
bool sameSize(uint64_t a, uint64_t b) {
  return std::abs(static_cast<double>(a) - static_cast<double>(b)) <= 0.01 * static_cast<double>(std::max(a, b));
}

// The allowed combinations for which NCCL has a kernel.
struct Combinations {
  int count = 0;
  Arm last;
};

Combinations combinations(nccl::Collective c, const nccl::EnvFilter& filter) {
  Combinations found;
  for (int a = 0; a < nccl::kNumAlgorithms; a++)
    for (int p = 0; p < nccl::kNumProtocols; p++) {
      const Arm arm{static_cast<nccl::Algorithm>(a), static_cast<nccl::Protocol>(p), {}};
      const bool open =
          filter.allows(c, arm.algorithm) && filter.gate(c, arm.protocol) != nccl::EnvFilter::Gate::kOff;
      if (!open || !nccl::hasKernel(c, arm.algorithm, arm.protocol)) continue;
      found.count++;
      found.last = arm;
    }
  return found;
}

// NCCL_MAX_NCHANNELS bounds the channels as a policy's number does. A minimum alone only widens the pool.
Result<std::optional<int>> channelsOf(const Forced& forced) {
  if (forced.maxChannels && *forced.maxChannels >= 1 && *forced.maxChannels <= nccl::kMaxChannels)
    return forced.maxChannels;
  if (forced.maxChannels) return Status::error(fmt::format("{} channels are out of range", *forced.maxChannels));
  if (forced.minChannels) return Status::error("only NCCL_MIN_NCHANNELS is set, which a policy cannot do");
  return std::optional<int>();
}

}  // namespace

std::string describe(const std::optional<Arm>& arm) {
  if (!arm) return "default";
  const std::string pair = fmt::format("{}/{}", nccl::name(arm->algorithm), nccl::name(arm->protocol));
  return arm->channels ? fmt::format("{} x {}", pair, *arm->channels) : pair;
}

bool isForced(const Forced& f) {
  return !f.algorithm.empty() || !f.protocol.empty() || f.minChannels || f.maxChannels;
}

std::optional<Arm> loggedChoice(const Run& run, nccl::Collective collective, uint64_t totalBytes) {
  std::optional<Arm> found;
  for (const LoggedChoice& c : run.choices) {
    if (c.collective != collective || !sameSize(c.totalBytes, totalBytes)) continue;
    const Arm arm{c.algorithm, c.protocol, {}};
    if (found && *found != arm) return std::nullopt;
    found = arm;
  }
  return found;
}

Result<std::optional<Arm>> armOf(const Run& run, const Row& row) {
  if (!isForced(run.forced)) return std::optional<Arm>();
  const int version = nccl::parseVersion(run.ncclVersion).value_or(nccl::kReferenceVersion);
  const Result<nccl::EnvFilter> filter = nccl::parseEnvFilter(run.forced.algorithm, run.forced.protocol, version);
  if (!filter.ok()) return filter.status();
  const Result<std::optional<int>> channels = channelsOf(run.forced);
  if (!channels.ok()) return channels.status();

  const Combinations open = combinations(*run.collective, filter.value());
  const std::optional<Arm> ran = loggedChoice(run, *run.collective, row.sizeBytes);
  std::optional<Arm> arm = open.count == 1 ? open.last : ran;
  if (open.count == 0) return Status::error("NCCL has no kernel for what was forced");
  if (!arm)
    return Status::error("the environment left the algorithm or the protocol open and no log line says which ran");
  // NCCL up to 2.23 falls back to Ring silently when what was forced is not possible.
  if (ran && *ran != *arm) return Status::error("forced " + describe(arm) + ", but NCCL ran " + describe(ran));
  arm->channels = channels.value();
  return arm;
}

}  // namespace polyrail::cli
