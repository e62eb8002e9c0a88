// SPDX-License-Identifier: Apache-2.0
// What most tests of the suite ask of a run.
#pragma once

#include <gtest/gtest.h>

#include "test/vgpu/suite/job.h"

namespace polyrail::vgpu {

// Ended in time, and no element of any rank was wrong.
inline void expectRight(const Outcome& outcome) {
  EXPECT_TRUE(outcome.right()) << "status " << outcome.status << "\n"
                               << outcome.lines("vgpu-perf") << outcome.lines("failure") << outcome.lines("WARN")
                               << outcome.lines("polyrail-emu") << outcome.lines("  float");
}

}  // namespace polyrail::vgpu
