// SPDX-License-Identifier: Apache-2.0
// Instructions of one small message sent and received through the plugin's newest table, verbs excluded: this program
// runs itself under callgrind, which counts only inside irecv, isend and test of the plugin that ships and not inside
// the (null) verbs that they call. Skipped without valgrind.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "test/null-verbs/plugin_pair.h"

namespace polyrail::contract {
namespace {

constexpr unsigned kMessages = 4000;  // and as many again: the difference leaves set-up out
constexpr double kLimit = 1000;

int child(unsigned rails, size_t size, unsigned messages) {
  PluginPair pair(rails, nullptr);
  return pair.connect().ok() && pair.enroll(size).ok() && pair.move(messages, 8, size) ? 0 : 1;
}

// The count that callgrind prints at the end, 0 when it cannot.
double collected(const std::string& self, const std::string& arguments) {
  const std::string command =
      "valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no"
      " --toggle-collect=counted_irecv --toggle-collect=counted_isend --toggle-collect=counted_test"
      " --toggle-collect='*null_verbs*' " +
      self + " " + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return 0;
  char line[512];
  double count = 0;
  while (std::fgets(line, sizeof line, pipe))
    if (const char* at = std::strstr(line, "Collected :")) count = std::atof(at + 11);
  return pclose(pipe) == 0 ? count : 0;
}

void bar(const std::string& self, unsigned rails, size_t size, double limit) {
  const std::string name = "net-instructions-" + std::to_string(rails) + "-rails-" + std::to_string(size) + "B";
  const std::string what = std::to_string(rails) + " " + std::to_string(size) + " ";
  const double once = collected(self, what + std::to_string(kMessages));
  const double count = (collected(self, what + std::to_string(2 * kMessages)) - once) / kMessages;
  if (once == 0 || count <= 0)
    std::printf("BAR %s - %.0f skipped valgrind is missing or does not run this program\n", name.c_str(), limit);
  else
    std::printf("BAR %s %.0f %.0f %s\n", name.c_str(), count, limit, count <= limit ? "holds" : "falls-short");
  std::fflush(stdout);
}

}  // namespace
}  // namespace polyrail::contract

int main(int argc, char** argv) {
  using namespace polyrail::contract;
  if (argc == 4)
    return child(static_cast<unsigned>(std::atoi(argv[1])), static_cast<size_t>(std::atol(argv[2])),
                 static_cast<unsigned>(std::atoi(argv[3])));
  for (const unsigned rails : {1u, 4u, 8u}) bar(argv[0], rails, 8, kLimit);
}
