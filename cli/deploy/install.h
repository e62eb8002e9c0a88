// SPDX-License-Identifier: Apache-2.0
// Puts a policy where the plugins look for it, keeps the one that was there, and brings that back. Every reader sees
// either file whole. Only new processes read a changed policy, so do it between jobs. One thread.
#pragma once

#include <string>

#include "common/status.h"

namespace polyrail::cli {

struct Installed {
  std::string path, digest;
  std::string previousPath, previousDigest;  // empty: there was none
  bool changed = true;                       // false: the same bytes were there already
};

// Where the policy that `path` had before is kept: beside it.
std::string previousPolicyPath(const std::string& path);

// Writes `bytes`, which the caller has validated, to `path`, readable by every user; makes the last folder of the
// path if it is missing. Installing the same bytes again changes nothing and keeps the older previous one. A symbolic
// link at `path` is refused: it belongs to whoever points it somewhere.
Result<Installed> installPolicy(const std::string& path, const std::string& bytes);

// The previous policy becomes the policy, and the policy the previous one. Refused when the previous one is not there
// or is no longer a policy.
Result<Installed> restorePolicy(const std::string& path);

}  // namespace polyrail::cli
