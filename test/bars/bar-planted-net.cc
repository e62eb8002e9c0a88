// SPDX-License-Identifier: Apache-2.0
// The net contract host finds each defect that is planted in a copy of the reference plugin, by the case and with the
// words that name it, and finds nothing in the reference itself under any ABI version.
#include <fmt/format.h>

#include "test/contract/host/planted_net.h"

using namespace polyrail::contract;

namespace {

void print(const char* name, size_t good, size_t of, const std::string& missed) {
  fmt::print("BAR {} {}/{} {}/{} {} {}\n", name, good, of, of, of, good == of ? "holds" : "falls-short", missed);
}

void plantedDefectsAreFound() {
  size_t found = 0;
  std::string missed;
  for (const Planted& planted : plantedDefects()) {
    const CaseResult result = runPlanted(planted);
    const bool named =
        result.verdict == CaseVerdict::kFailed && result.text.find(planted.finding) != std::string::npos;
    found += named;
    if (!named) missed += std::string(planted.defect) + " ";
  }
  print("planted-net-defects", found, plantedDefects().size(), missed);
}

void referenceIsClean() {
  size_t clean = 0, runs = 0;
  std::string failed;
  for (int abi = 12; abi >= 6; abi--)
    for (const NetCase* one : allNetCases()) {
      const CaseResult result = runCase(*one, {.plugin = referenceNet(), .abi = abi});
      const bool good =
          result.verdict == CaseVerdict::kPassed || (result.verdict == CaseVerdict::kSkipped && abi < 9);
      runs++, clean += good;
      if (!good) failed += fmt::format("{}-v{} ", one->name, abi);
    }
  print("net-reference-clean", clean, runs, failed);
}

}  // namespace

int main() {
  plantedDefectsAreFound();
  referenceIsClean();
}
