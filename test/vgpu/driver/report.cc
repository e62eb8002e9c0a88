// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/driver/report.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "test/vgpu/driver/data.h"
#include "test/vgpu/driver/shared.h"

namespace polyrail::vgpu {

namespace {

// nccl-tests' getFloatStr: seven characters.
void printNumber(double value) {
  const int digits = value < 1e4 ? 2 : value < 1e5 ? 1 : 0;
  printf("  %7.*f", digits, value);
}

void printPlacement(const Options& options, int ranks, size_t bytes, const Placement& p) {
  const double algorithm = p.seconds > 0 ? static_cast<double>(bytes) / p.seconds / 1e9 : 0;
  printNumber(p.seconds * 1e6);
  printNumber(algorithm);
  printNumber(algorithm * busFactor(options.collective->kind, ranks));
  if (options.check) {
    printf("  %6zu", p.wrong);
  } else {
    printf("     N/A");
  }
}

}  // namespace

void printHeader(const Options& o, int version) {
  char host[64] = "";
  gethostname(host, sizeof host - 1);
  printf("# nccl-tests version 2.17.6 nccl-headers=%d nccl-library=%d\n", version, version);
  printf("# Collective test starting: %s_perf\n", o.collective->name);
  printf(
      "# nThread %d nGpus 1 minBytes %zu maxBytes %zu step: %zu(factor) warmup iters: %d iters: %d agg iters: %d "
      "validation: %d graph: %d\n#\n# Using devices\n",
      o.threads ? o.ranksPerNode : 1, o.begin, o.end, o.factor, o.warmups, o.iterations, o.aggregate, o.check,
      o.graphLaunches);
  for (int rank = 0; rank < o.nodes * o.ranksPerNode; ++rank) {
    const int node = rank / o.ranksPerNode, device = rank % o.ranksPerNode;
    printf("#  Rank %2d Group  0 Pid %6d on %7s-n%d device %2d [0x%02x] Virtual GPU\n", rank, getpid(), host, node,
           device, 0x17 + device);
  }
  printf(
      "#\n#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   "
      "busbw  #wrong \n");
  printf(
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  "
      "(GB/s)         \n");
  fflush(stdout);
}

void printRow(const Options& o, int ranks, const Row& row) {
  printf("%12zu  %12zu  %8s  %6s  %6d", row.bytes, row.count, typeName(o.type),
         o.collective->reduces ? operatorName(o.op) : "none", o.collective->rooted ? o.root : -1);
  printPlacement(o, ranks, row.bytes, row.outOfPlace);
  if (row.hasInPlace) {
    printPlacement(o, ranks, row.bytes, row.inPlace);
  } else {
    printf("      N/A     N/A     N/A     N/A");
  }
  printf("\n");
  fflush(stdout);
}

bool printEnd(const Options& o, size_t wrong) {
  printf("# Out of bounds values : %zu %s\n", wrong, wrong ? "FAILED" : "OK");
  printf("# Avg bus bandwidth    : 0 \n#\n# Collective test concluded: %s_perf\n", o.collective->name);
  return wrong == 0;
}

}  // namespace polyrail::vgpu
