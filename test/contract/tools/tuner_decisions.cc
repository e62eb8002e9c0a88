// SPDX-License-Identifier: Apache-2.0
// tuner-decisions PLUGIN SEED: one rank's decisions as digests, one line an NCCL release. Run as separate processes
// in different surroundings, ranks agree exactly when their outputs are equal. `tuner-decisions --decimal-point`
// prints what the locale in force makes of 0.5.
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "test/contract/host/decision_digest.h"

namespace polyrail::contract {
namespace {

constexpr struct { size_t ranks, nodes; } kLayouts[] = {{2, 1}, {8, 1}, {16, 2}, {4, 4}, {64, 8}, {7, 3}, {512, 16}};

int printDecisions(const char* plugin, uint64_t seed) {
  for (const NcclRelease& release : kNcclReleases) {
    Result<TunerHost> host = TunerHost::load(plugin, release, nullptr);
    if (!host.ok()) {
      fprintf(stderr, "%s\n", host.message().c_str());
      return 1;
    }
    printf("%s", release.name);
    for (const auto& layout : kLayouts) {
      CommShape shape;
      shape.ranks = layout.ranks, shape.nodes = layout.nodes;
      printf(" %s", digestOfDecisions(host.value(), shape, seed).c_str());
    }
    printf("\n");
  }
  return 0;
}

}  // namespace
}  // namespace polyrail::contract

int main(int argc, char** argv) {
  setlocale(LC_ALL, "");  // as frameworks do
  if (argc == 2 && strcmp(argv[1], "--decimal-point") == 0) return printf("%.1f\n", 0.5) < 0;
  if (argc != 3) return 2;
  return polyrail::contract::printDecisions(argv[1], strtoull(argv[2], nullptr, 10));
}
