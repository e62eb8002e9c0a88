// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/policy_builder.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "common/nccl/version.h"

namespace polyrail::cli {
namespace {

// A policy is read at the start of every job: it names its sources, but does not grow with their number.
constexpr size_t kNamedSources = 32;

std::vector<std::string> sourcesOf(const std::vector<std::string>& files) {
  std::vector<std::string> sources(files.begin(),
                                   files.begin() + static_cast<ptrdiff_t>(std::min(files.size(), kNamedSources)));
  if (files.size() > kNamedSources) sources.push_back(fmt::format("and {} more", files.size() - kNamedSources));
  return sources;
}

}  // namespace

Policy buildPolicy(const Learned& learned, const Context& context, const std::vector<std::string>& files,
                   const PolicyLabels& labels, const LearnOptions& options) {
  Policy policy;
  policy.name = labels.name;
  policy.identity.cluster = labels.cluster;
  policy.identity.gpu = context.gpu;
  policy.identity.nic = labels.nic;
  // Only the version that was measured: the next one may choose otherwise by itself.
  if (nccl::parseVersion(context.ncclVersion))
    policy.identity.ncclMin = policy.identity.ncclMax = nccl::versionText(*nccl::parseVersion(context.ncclVersion));
  policy.identity.learnedAt = labels.learnedAt;
  policy.identity.sources = sourcesOf(files);
  policy.options.allGatherChannels = options.allGatherChannels;
  policy.tables = learned.tables;
  return policy;
}

std::string timeStamp() {
  std::time_t seconds = std::time(nullptr);
  if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH")) {
    long long value = 0;
    const char* end = fixed + std::strlen(fixed);
    const auto [rest, error] = std::from_chars(fixed, end, value);
    if (error == std::errc() && rest == end) seconds = static_cast<std::time_t>(value);
  }
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts));
}

}  // namespace polyrail::cli
