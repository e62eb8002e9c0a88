// SPDX-License-Identifier: Apache-2.0
// Each fault that the emulator can inject, in virtual time: the line on a rail that was survived, and the reports of
// both ends when no rail was left, name the right rail, peer and cause.
#include <cstdio>

#include "test/unit/net-report/fault_cases.h"

int main() {
  using namespace polyrail::net;
  int right = 0, all = 0;
  for (const FaultCase& fault : allFaultCases())
    for (const auto judge : {judgeSurvived, judgeEnded}) {
      std::string said;
      const std::string problem = judge(fault, &said);
      all++;
      right += problem.empty();
      if (!problem.empty()) std::printf("  %s: %s\n%s", fault.name, problem.c_str(), said.c_str());
    }
  std::printf("BAR net-reports-right-rail-peer-and-cause %d %d %s\n", right, all,
              right == all ? "holds" : "falls-short");
}
