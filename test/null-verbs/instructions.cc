// SPDX-License-Identifier: Apache-2.0
#include "test/null-verbs/instructions.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "test/null-verbs/plugin_pair.h"

namespace polyrail::contract {
namespace {

constexpr unsigned kInFlight = 8;

// What callgrind has counted in the first thread; 0 when it could not. The others are not asked: the control thread's
// calls of the null verbs would count, for what leaves them out in this thread turns counting on in another.
double totalOf(const std::string& file) {
  std::ifstream in(file);
  for (std::string word; in >> word;)
    if (double count = 0; word == "totals:" && in >> count) return count;
  return 0;
}

double collected(const std::string& self, const Counted& what, unsigned messages) {
  char folder[] = "/tmp/polyrail-instructions.XXXXXX";
  if (!mkdtemp(folder)) return 0;
  const std::string out = std::string(folder) + "/out";
  const std::string command = "valgrind --tool=callgrind --separate-threads=yes --callgrind-out-file=" + out +
                              " --collect-atstart=no --toggle-collect=counted_irecv --toggle-collect=counted_isend"
                              " --toggle-collect=counted_test --toggle-collect='*null_verbs*' " +
                              self + " " + std::to_string(what.rails) + " " + std::to_string(what.size) + " " +
                              std::to_string(messages) + " " + what.plugin + " >/dev/null 2>&1";
  const double count = std::system(command.c_str()) == 0 ? totalOf(out + "-01") : 0;
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return count;
}

}  // namespace

bool haveValgrind() { return std::system("valgrind --version >/dev/null 2>&1") == 0; }

int moveCounted(char** words) {
  const size_t size = std::strtoul(words[1], nullptr, 10);
  PluginPair pair(static_cast<unsigned>(std::atoi(words[0])), nullptr, words[3]);
  const unsigned messages = static_cast<unsigned>(std::atoi(words[2]));
  return pair.connect().ok() && pair.enroll(size).ok() && pair.move(messages, kInFlight, size) ? 0 : 1;
}

double instructionsOf(const std::string& self, const Counted& what) {
  const double once = collected(self, what, what.messages), twice = collected(self, what, 2 * what.messages);
  return once > 0 && twice > once ? (twice - once) / what.messages : 0;
}

}  // namespace polyrail::contract
