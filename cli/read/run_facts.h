// SPDX-License-Identifier: Apache-2.0
// All that is known about the run that is being read, with the evidence for it, and the conclusion from it at the
// run's end. Bounded: hosts are kept as hashes. One per table; one thread.
#pragma once

#include <string>
#include <unordered_set>

#include "cli/read/cost_lines.h"
#include "cli/read/shape.h"

namespace polyrail::read {

// The lines "#  Rank  0 Group  0 Pid 36600 on node000 device  0 [0x07] NVIDIA A100".
struct DeviceList {
  uint64_t lines = 0, inFirstGroup = 0, ranks = 0;  // ranks: highest number + 1
  std::optional<uint64_t> firstGroup;
  bool cut = false, mixedGpus = false;
  std::unordered_set<uint64_t> hosts;  // of the first group
};

// What the log lines of the communicator say.
struct CommEvidence {
  std::optional<uint64_t> ranks, nodes;  // "nRanks", "nNodes"
  std::optional<uint64_t> thresholdRanks;
  std::unordered_set<uint64_t> rankNumbers, hosts;  // of "Init COMPLETE" lines, for NCCL before 2.20
};

struct RunFacts {
  Run run;
  std::string testName, versionLine;  // as RowText has them
  // How far the header of the test has come; a repeated part begins another run.
  bool sawVersion = false, sawStart = false, sawSettings = false, sawColumns = false, sawMarker = false;
  bool sawLog = false;  // any log line that told something
  uint64_t rows = 0, choices = 0, lostRows = 0, firstLostRow = 0, unplacedChoices = 0;
  std::optional<uint64_t> outOfBounds;
  size_t wrongWidth = 0;
  std::string programName;  // from a command line
  std::string failure;      // first line that says why a run failed
  std::optional<uint64_t> libraryCode;
  DeviceList devices;
  CommEvidence comm;
  CostTableReader costs;
  Shape shape;

  bool worthKeeping() const {
    return rows > 0 || choices > 0 || costs.found() || sawSettings || sawStart || sawMarker || devices.lines > 0;
  }
  // The collective as known so far: named, or told by the rows. Empty: neither.
  std::string collectiveName() const;
  std::optional<uint64_t> ranks() const;
  // Something is not known yet that the rows could tell.
  bool needsShape() const {
    return (testName.empty() && programName.empty()) || (!comm.ranks && devices.lines == 0 && !comm.thresholdRanks);
  }
};

// "all_reduce" of "/opt/nccl-tests/build/all_reduce_perf_mpi"; empty when it is not a test of nccl-tests.
std::string testOfProgram(std::string_view program);

// Fills run from the evidence and says in its problems what is missing and what is inferred.
void conclude(RunFacts& facts);

}  // namespace polyrail::read
