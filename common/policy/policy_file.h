// SPDX-License-Identifier: Apache-2.0
// Policies as files: find, read, parse, write, digest. Every failure is one sentence with the place (line, or JSON
// path) and the reason. Nothing here throws or logs; callers own what is returned; safe from any thread. The tuner
// calls this once per process, at init.
#pragma once

#include <string>
#include <string_view>

#include "common/policy/policy.h"
#include "common/status.h"

namespace polyrail {

inline constexpr uint64_t kMaxPolicyBytes = 16u << 20;
inline constexpr char kDefaultPolicyPath[] = "/etc/polyrail/policy.json";

// SHA-256 of the file's bytes in lower-case hex, the same as `sha256sum` prints; 64 characters.
std::string policyDigest(std::string_view bytes);

// What makes a policy unusable although its types are right (ranges, order, overlaps, combinations without a kernel),
// with the JSON path of the place; parsePolicy and loadPolicyFile have checked it already.
Status validatePolicy(const Policy& policy);

// How a file states the unit of a table's sizes: "total_bytes" or "per_rank_bytes".
const char* sizeUnit(nccl::Collective collective);

// Parses and validates. Unknown keys are errors (a misspelt key must not be ignored), except those that begin with
// "x-" or are "comment" or "$schema".
Result<Policy> parsePolicy(std::string_view json, std::string_view placeName);

// Stable text: the same policy gives the same bytes. parsePolicy(writePolicy(p)) == p.
std::string writePolicy(const Policy& policy);

struct LoadedPolicy {
  std::string path;
  std::string digest;
  Policy policy;
};
// Refuses what is not a regular file, and files over kMaxPolicyBytes; never blocks on a FIFO. Reads the bytes once:
// digest and policy are of the same ones.
Result<LoadedPolicy> loadPolicyFile(const std::string& path);

// Only the bytes, under the same conditions.
Result<std::string> readPolicyFile(const std::string& path);

}  // namespace polyrail
