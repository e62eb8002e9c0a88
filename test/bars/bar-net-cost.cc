// SPDX-License-Identifier: Apache-2.0
// What telemetry, failover and standby cost while nothing fails, against a build without them (net/data/bare.h):
// instructions of a message, verbs excluded, as callgrind counts them, and the rate of a stream in virtual time.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "test/null-verbs/instructions.h"

namespace polyrail::contract {
namespace {

constexpr size_t kMiB = 1 << 20;
const std::string kBarePlugin = "bare/libnccl-net-polyrail.so";

std::string sizeText(size_t size) { return size == kMiB ? "1MiB" : std::to_string(size) + "B"; }

// What the bare build does not have is not asked of it.
double bare(const std::string& self, Counted what) {
  setenv("POLYRAIL_FAILOVER", "off", 1);
  setenv("POLYRAIL_TELEMETRY", "off", 1);
  what.plugin = kBarePlugin;
  const double count = instructionsOf(self, what);
  unsetenv("POLYRAIL_FAILOVER");
  unsetenv("POLYRAIL_TELEMETRY");
  return count;
}

void instructions(const std::string& self, unsigned rails, size_t size, double limit) {
  const Counted what{.rails = rails, .size = size, .messages = size == kMiB ? 100u : 2000u};
  const double with = instructionsOf(self, what), without = bare(self, what);
  std::printf("BAR net-cost-instructions-%u-rails-%s-%% ", rails, sizeText(size).c_str());
  if (with <= 0 || without <= 0)
    std::printf("- %.1f falls-short %s ends badly under valgrind\n", limit,
                with <= 0 ? "the plugin" : "the bare build");
  else
    std::printf("%.2f %.1f %s %.0f against %.0f\n", 100 * (with / without - 1), limit,
                with <= without * (1 + limit / 100) ? "holds" : "falls-short", with, without);
  std::fflush(stdout);
}

// A number that a program prints, 0 when it fails.
double printed(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return 0;
  double figure = 0;
  const bool read = std::fscanf(pipe, "%lf", &figure) == 1;
  return pclose(pipe) == 0 && read ? figure : 0;
}

void rate() {
  const char* build = std::getenv("POLYRAIL_BUILD");
  const std::string top = build ? build : "build/release";
  const double with = printed(top + "/test/bars/stream_rate");
  const double without = printed(top + "/bare/test/bars/stream_rate");
  const bool holds = without > 0 && with >= 0.99 * without;
  std::printf("BAR net-cost-rate-1MiB-%% %.2f 1.0 %s %.2f against %.2f Gb/s\n",
              without > 0 ? 100 * (1 - with / without) : 100.0, holds ? "holds" : "falls-short", with, without);
  std::fflush(stdout);
}

}  // namespace
}  // namespace polyrail::contract

int main(int argc, char** argv) {
  using namespace polyrail::contract;
  if (argc == 1 + kCountedWords) return moveCounted(argv + 1);
  const bool counts = haveValgrind();
  if (!counts) std::printf("BAR net-cost-instructions - 5 skipped valgrind is not installed\n");
  for (const unsigned rails : {1u, 4u, 8u}) {
    if (!counts) break;
    instructions(argv[0], rails, 8, 5);
    instructions(argv[0], rails, kMiB, 1);
  }
  rate();
}
