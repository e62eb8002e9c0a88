// SPDX-License-Identifier: Apache-2.0
// Short ways to make runs for the learner's tests.
#pragma once

#include "cli/data/run.h"
#include "cli/learn/sweep.h"

namespace polyrail::cli {

// In a TEST, plain `Run` is a function of GoogleTest's.
using NcclTestsRun = Run;

inline Run runOf(nccl::Collective collective, uint64_t ranks, uint64_t nodes, const char* algorithm = "",
                 const char* protocol = "") {
  Run run;
  run.file = "made up";
  run.collective = collective;
  run.collectiveText = nccl::name(collective);
  run.ranks = ranks;
  run.nodes = nodes;
  run.ncclVersion = "2.27.3";
  run.gpu = "GPU";
  run.forced.algorithm = algorithm;
  run.forced.protocol = protocol;
  return run;
}

inline Row rowOf(uint64_t bytes, double outOfPlaceUs, double inPlaceUs) {
  Row row;
  row.sizeBytes = bytes;
  row.type = "float", row.redop = "sum";
  row.outOfPlace = Placement{outOfPlaceUs, 0, 0, 0.0, {}};
  row.inPlace = Placement{inPlaceUs, 0, 0, 0.0, {}};
  return row;
}

inline Sweeps sweepsOf(const std::vector<Run>& runs) {
  std::vector<const Run*> pointers;
  for (const Run& run : runs) pointers.push_back(&run);
  return makeSweeps(pointers);
}

}  // namespace polyrail::cli
