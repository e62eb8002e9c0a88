// SPDX-License-Identifier: Apache-2.0
// The numbers of NCCL's cost model, as of 2.30.7 (src/graph/tuning.cc:147-215). Rows are algorithms in NCCL's order
// with LL, LL128, Simple; links are NVLink, PCI, network; the bandwidths' rows are generations from Volta to
// Blackwell (llMaxBws: on one node; on more, row 0 is Intel's and row 1 AMD's), columns 1, 2, and 4 or more nodes.
#include "cli/model/cost_model.h"

namespace polyrail::nccl {

const TunerConstantsV5& defaultConstants() {
  static constexpr TunerConstantsV5 kConstants = {
      .baseLatencies = {{6.8, 14, 8.4}, {6.6, 14, 8.4}, {}, {}, {}, {}, {8, 8, 8}},
      .hwLatencies = {{{.6, 1.25, 4}, {.6, 1.9, 3.4}, {0, 0, 3.7}, {0, 0, 2.8}, {0, 0, 25}, {0, 0, 25}, {0, 0, 4}},
                      {{1, 1.9, 4}, {1, 2.5, 5.7}, {0, 0, 3.7}, {0, 0, 2.8}, {}, {}, {0, 0, 4}},
                      {{5, 8.5, 14}, {2.7, 4, 14}, {0, 0, 31}, {0, 0, 30}, {0, 0, 18}, {0, 0, 20.9}, {0, 0, 14}}},
      .llMaxBws = {{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}},
      .perChMaxRingLl128Bws = {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {40, 40, 40}},
      .perChMaxTreeLl128Bws = {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}},
      .perChMaxTreeBws = {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}},
      .perChMaxNvlsTreeBws = {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {0, 57.7, 45.5}, {0, 96, 80}},
  };
  return kConstants;
}

}  // namespace polyrail::nccl
