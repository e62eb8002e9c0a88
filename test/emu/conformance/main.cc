// SPDX-License-Identifier: Apache-2.0
// conformance FIRST-DEVICE SECOND-DEVICE [GID-INDEX [CASE...]]: runs the cases on two devices of the libibverbs that
// is loaded and prints one line each; the exit status says whether all passed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "test/emu/conformance/link.h"

using namespace polyrail::conformance;

namespace {

bool runOne(const Case& c, const Rails& rails) {
  try {
    c.run(rails);
    std::printf("pass %s\n", c.name);
    return true;
  } catch (const std::exception& e) {
    std::printf("FAIL %s: %s\n", c.name, e.what());
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s FIRST-DEVICE SECOND-DEVICE [GID-INDEX [CASE...]]\n", argv[0]);
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const Rails rails = {argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 1};
  const std::vector<std::string> only(argv + std::min(argc, 4), argv + argc);
  int passed = 0, failed = 0;
  for (const auto* cases : {&transferCases(), &ruleCases(), &objectCases()})
    for (const Case& c : *cases)
      if (only.empty() || std::find(only.begin(), only.end(), c.name) != only.end())
        (runOne(c, rails) ? passed : failed)++;
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
