// SPDX-License-Identifier: Apache-2.0
// nccl-tests' output (version 2.17's text format), so that whatever reads theirs reads ours. Called by one rank.
#pragma once

#include "test/vgpu/driver/options.h"

namespace polyrail::vgpu {

struct Placement {
  double seconds = 0;
  size_t wrong = 0;
};

struct Row {
  size_t bytes, count;
  Placement outOfPlace, inPlace;
  bool hasInPlace = false;
};

void printHeader(const Options& options, int version);
void printRow(const Options& options, int ranks, const Row& row);
// True when no element was wrong.
bool printEnd(const Options& options, size_t wrong);

}  // namespace polyrail::vgpu
