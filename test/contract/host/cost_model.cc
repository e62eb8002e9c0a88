// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "test/contract/host/cost_table.h"

namespace polyrail::contract {
namespace {

using nccl::Algorithm;
using nccl::Collective;

constexpr int kNvLink = 0, kNetwork = 2;            // first index of hwLatencies
constexpr double kNvLinkGBs = 20, kNetworkGBs = 5;  // per channel, of a Hopper machine's order

double bytesOnWire(const CommShape& shape, const Call& call) {
  const double n = static_cast<double>(shape.ranks), bytes = static_cast<double>(call.bytes);
  if (call.collective == static_cast<int>(Collective::kAllReduce)) return bytes * 2 * (n - 1) / n;
  return nccl::keyedPerRank(static_cast<Collective>(call.collective)) ? bytes * (n - 1) / n : bytes;
}

double steps(const CommShape& shape, Algorithm algorithm) {
  const double n = static_cast<double>(shape.ranks);
  return algorithm == Algorithm::kRing ? n - 1 : 1 + std::log2(n);
}

double protocolShare(int protocol) {
  constexpr double kShare[nccl::kNumProtocols] = {0.25, 0.92, 1.0};  // LL pays flags, LL128 8 bytes of 128
  return kShare[protocol];
}

}  // namespace

nccl::TunerConstantsV5 ncclConstants() {
  return {
      .baseLatencies = {{6.8, 14, 8.4}, {6.6, 14, 8.4}, {}, {}, {}, {}, {8, 8, 8}},
      .hwLatencies = {{{.6, 1.25, 4}, {.6, 1.9, 3.4}, {0, 0, 3.7}, {0, 0, 2.8}, {0, 0, 25}, {0, 0, 25}, {0, 0, 4}},
                      {{1, 1.9, 4}, {1, 2.5, 5.7}, {0, 0, 3.7}, {0, 0, 2.8}, {0, 0, 0}, {0, 0, 0}, {0, 0, 4}},
                      {{5, 8.5, 14}, {2.7, 4, 14}, {0, 0, 31}, {0, 0, 30}, {0, 0, 18}, {0, 0, 20.9}, {0, 0, 14}}},
      .llMaxBws = {{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}},
      .perChMaxRingLl128Bws = {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {40, 40, 40}},
      .perChMaxTreeLl128Bws = {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}},
      .perChMaxTreeBws = {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}},
      .perChMaxNvlsTreeBws = {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {0, 57.7, 45.5}, {0, 96, 80}},
  };
}

CostModel plausibleCosts(const nccl::TunerConstantsV5& constants) {
  return [constants](const CommShape& shape, const Call& call, int a, int p) {
    const int link = shape.nodes > 1 ? kNetwork : kNvLink;
    const double perChannel = (shape.nodes > 1 ? kNetworkGBs : kNvLinkGBs) * protocolShare(p);
    const double latency =
        constants.baseLatencies[a][p] + steps(shape, static_cast<Algorithm>(a)) * constants.hwLatencies[link][a][p];
    const double gbs = std::max(1, shape.channels) * perChannel * (1 + 0.03 * a);
    return static_cast<float>(latency * call.pipeOps + bytesOnWire(shape, call) / (1000 * gbs));
  };
}

}  // namespace polyrail::contract
