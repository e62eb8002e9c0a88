// SPDX-License-Identifier: Apache-2.0
// What one nccl-tests run says, as plain values: the reader makes them, the store keeps them, the learner and the
// commands use them. Owned by whoever holds them; no thread-safety of their own. Times are microseconds, sizes bytes,
// bandwidths GB/s (1e9); what a file does not say is absent or empty, never guessed silently.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/nccl/terms.h"

namespace polyrail {

// The columns that nccl-tests' -I adds to a placement (since 2.19.2): over iterations, of the slowest process.
struct IterationSpread {
  double minUs = 0, maxUs = 0, p99Us = 0, cvPercent = 0;
};

// One half of a row: out-of-place or in-place.
struct Placement {
  double timeUs = 0;
  double algBw = 0;
  double busBw = 0;
  std::optional<double> wrong;  // "#wrong" (or "error" of old versions); absent for N/A
  std::optional<IterationSpread> spread{};
};

struct Row {
  uint64_t sizeBytes = 0;  // nccl-tests' size column: what the tuner is asked with, but for rounding
  uint64_t count = 0;
  std::string type, redop;
  int root = -1;
  std::optional<Placement> outOfPlace, inPlace;
  uint64_t line = 0;  // 1-based line of the file on which the row begins; 0 when the file is JSON
};

// A "-> Algo" line: what NCCL chose.
struct LoggedChoice {
  nccl::Collective collective = nccl::Collective::kAllReduce;
  uint64_t totalBytes = 0;       // normalised to the tuner's unit; see `bytesArePerRank`
  bool bytesArePerRank = false;  // true when the line printed per-rank bytes (NCCL >= 2.24, AllGather/ReduceScatter)
  nccl::Algorithm algorithm = nccl::Algorithm::kRing;
  nccl::Protocol protocol = nccl::Protocol::kSimple;
  std::optional<int> channels;
  std::optional<double> modelTimeUs;  // 2.20-2.23 print it
  uint64_t lines = 1;                 // how many log lines said the same
};

// NCCL's own cost model as a log prints it: rank 0, subsystem TUNING. GB/s and microseconds; 0 GB/s: not allowed.
struct CostModel {
  using Cells =
      std::array<std::array<std::array<double, nccl::kNumProtocols>, nccl::kNumAlgorithms>, nccl::kNumCollectives>;
  Cells latencyUs{};
  Cells bandwidthGBs{};
};

// How the run was steered from outside; lower-case names as in the environment variables.
struct Forced {
  std::string algorithm, protocol;              // NCCL_ALGO, NCCL_PROTO verbatim; empty: not set, or not known
  std::optional<int> minChannels, maxChannels;  // NCCL_MIN_/MAX_NCHANNELS or _CTAS
};

// What was asked of nccl-tests: measurements made by different protocols must not be pooled.
struct TestSettings {
  std::optional<int> threads, gpusPerThread, warmupIterations, iterations, aggregated, validation, graph;
  bool cpuTime = false;  // -C: the time column is the CPU's
};

// One table of one test in one file.
struct Run {
  std::string file;
  uint64_t line = 0;                           // where it begins, 1-based; 0 when the file is JSON
  std::string collectiveText;                  // as found: "all_reduce_perf", "AllReduce", ...; may be alltoall
  std::optional<nccl::Collective> collective;  // absent: not one that a tuner can steer, or unknown
  std::optional<uint64_t> ranks, nodes;
  std::string ncclVersion, testsVersion;  // "2.29.2", "2.18.3"
  std::string gpu;                        // "NVIDIA H100 80GB HBM3"
  Forced forced;
  TestSettings settings;
  std::string startTime;               // as the file writes it; JSON only
  std::string tunerPlugin, netPlugin;  // as the log names them
  std::string network;                 // "Using network ...": the transport in use ("IB", "Socket", "AWS Libfabric")
  std::optional<int> collChannels;     // the communicator's pool ("%d coll channels")
  std::optional<CostModel> costTable;
  std::vector<LoggedChoice> choices;
  std::vector<Row> rows;
  bool complete = false;              // the table's footer is there: it was not cut
  std::vector<std::string> problems;  // what could not be recovered, and why; one sentence each
};

}  // namespace polyrail
