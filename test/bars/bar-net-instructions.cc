// SPDX-License-Identifier: Apache-2.0
// Instructions of one small message sent and received through the plugin's newest table, verbs excluded, as
// test/null-verbs/instructions.h counts them. Skipped without valgrind.
#include <cstdio>

#include "test/null-verbs/instructions.h"

namespace polyrail::contract {
namespace {

constexpr double kLimit = 1000;

void bar(const std::string& self, unsigned rails) {
  const std::string name = "net-instructions-" + std::to_string(rails) + "-rails-8B";
  if (!haveValgrind()) {
    std::printf("BAR %s - %.0f skipped valgrind is not installed\n", name.c_str(), kLimit);
    return;
  }
  const double count = instructionsOf(self, {.rails = rails});
  if (count <= 0)
    std::printf("BAR %s - %.0f falls-short it ends badly under valgrind\n", name.c_str(), kLimit);
  else
    std::printf("BAR %s %.0f %.0f %s\n", name.c_str(), count, kLimit, count <= kLimit ? "holds" : "falls-short");
  std::fflush(stdout);
}

}  // namespace
}  // namespace polyrail::contract

int main(int argc, char** argv) {
  using namespace polyrail::contract;
  if (argc == 1 + kCountedWords) return moveCounted(argv + 1);
  for (const unsigned rails : {1u, 4u, 8u}) bar(argv[0], rails);
}
