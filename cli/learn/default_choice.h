// SPDX-License-Identifier: Apache-2.0
// What NCCL does at each size of a sweep when nobody steers it: as its log lines say, else as follows from the cost
// table that the log prints. Pure; any thread.
#pragma once

#include <vector>

#include "cli/learn/sweep.h"

namespace polyrail::cli {

// Fills sweep.defaultChoice, .pool and .ll128Default from the runs of its context on its ranks and nodes, whatever
// their collective: one cost table covers all. Only unforced runs say what is enabled by default: NCCL_PROTO=LL128
// prints LL128 as usable even where NCCL would not use it by itself.
void describeDefault(const std::vector<const Run*>& runs, Sweep& sweep);

// Where NCCL's default was not measured but is known, the arm that it is stands for it: puts such a series in front
// and sets sweep.defaultRebuilt. Nothing happens when the default was measured, or no arm stands for it at any size.
void rebuildDefault(Sweep& sweep);

}  // namespace polyrail::cli
