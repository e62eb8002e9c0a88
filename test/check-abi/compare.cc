// SPDX-License-Identifier: Apache-2.0
// Prints what polyrail and a real NCCL say of each struct of the plugin ABI, side by side, and every difference;
// ends with 1 when there is one. Built by ./check-abi against that NCCL's headers. -v prints the members too.
#include <cstdio>
#include <cstring>

#include "test/check-abi/ours.h"
#include "test/check-abi/theirs.h"

namespace {

using namespace polyrail::abi;

void printMembers(const Layout& a, const Layout& b) {
  for (size_t i = 0; i < a.members.size(); i++) {
    const Member &x = a.members[i], &y = b.members[i];
    std::printf("  %-26s %5zu+%-4zu %5zu+%-4zu  %s | %s\n", x.name.c_str(), x.offset, x.size, y.offset, y.size,
                x.shape.c_str(), y.shape.c_str());
  }
}

size_t compareLayouts(const Abi& a, const Abi& b, bool members) {
  size_t wrong = 0;
  std::printf("%-26s %-34s %8s %8s %8s\n", "polyrail", "NCCL", "bytes", "in NCCL", "members");
  for (size_t i = 0; i < a.layouts.size(); i++) {
    const Layout &x = a.layouts[i], &y = b.layouts[i];
    const auto found = differences(x, y, "in polyrail", "in NCCL");
    std::printf("%-26s %-34s %8zu %8zu %8zu  %s\n", x.name.c_str(), x.nccl.c_str(), x.size, y.size, x.members.size(),
                found.empty() ? "same" : "DIFFERENT");
    if (members) printMembers(x, y);
    for (const std::string& one : found) std::printf("  %s\n", one.c_str());
    wrong += found.size();
  }
  return wrong;
}

size_t compareConstants(const Abi& a, const Abi& b) {
  size_t wrong = 0;
  for (size_t i = 0; i < a.constants.size(); i++) {
    const Constant &x = a.constants[i], &y = b.constants[i];
    if (x.value == y.value) continue;
    std::printf("  %s: %lld in polyrail, %s is %lld in NCCL\n", x.name.c_str(), x.value, x.nccl.c_str(), y.value);
    wrong++;
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const Abi mine = ours(), real = theirs();
  const bool members = argc > 1 && std::strcmp(argv[1], "-v") == 0;
  const size_t wrong = compareLayouts(mine, real, members) + compareConstants(mine, real);
  size_t count = 0;
  for (const Layout& layout : mine.layouts) count += layout.members.size();
  std::printf("NCCL %d.%d.%d: %zu structs and callbacks, %zu members, %zu constants compared, %zu differences\n",
              NCCL_MAJOR, NCCL_MINOR, NCCL_PATCH, mine.layouts.size(), count, mine.constants.size(), wrong);
  return wrong ? 1 : 0;
}
