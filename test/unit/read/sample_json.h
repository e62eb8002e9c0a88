// SPDX-License-Identifier: Apache-2.0
// Results as JSON as the two writers print them, with their peculiarities.
#pragma once

#include <string>

namespace polyrail::sample {

// nccl-tests' -J, file version 3 (src/util.cu, 2.19): booleans as words, a padded root, one device a process, the
// whole environment. AllGather on 2 nodes, 2 processes of 2 GPUs each, NCCL_ALGO set.
std::string testsJson(int rows);

// nccl-tests pull request 318: one object a cycle, keyed by size. AllReduce on 8 ranks; the ranks are not written.
std::string pullRequestJson(int rows);

// What must never be kept or printed of testsJson()'s environment.
inline constexpr char kSecret[] = "hunter2-correct-horse";

}  // namespace polyrail::sample
