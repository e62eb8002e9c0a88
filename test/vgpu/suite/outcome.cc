// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/suite/outcome.h"

#include <regex>
#include <sstream>

namespace polyrail::vgpu {

size_t Outcome::count(const std::string& words) const {
  size_t found = 0;
  for (size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + words.size())) ++found;
  return found;
}

// Rows begin with two numbers; lines of NCCL's log, which go to a file, are not among them.
std::vector<double> Outcome::times() const {
  std::vector<double> found;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    unsigned long long size, elements;
    std::string type, op, root;
    double time;
    if (fields >> size >> elements >> type >> op >> root >> time) found.push_back(time);
  }
  return found;
}

std::vector<RailTraffic> Outcome::traffic() const {
  std::vector<RailTraffic> found;
  const std::regex rail("(\\S+) (\\d+) bytes (\\d+) reads");
  const std::string said = lines("vgpu: traffic rank ");
  for (std::sregex_iterator i(said.begin(), said.end(), rail), end; i != end; ++i) {
    found.push_back({(*i)[1], std::stoull((*i)[2]), std::stoull((*i)[3])});
  }
  return found;
}

std::string Outcome::lines(const std::string& words) const {
  std::string found;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.find(words) != std::string::npos) found += line + "\n";
  }
  return found;
}

}  // namespace polyrail::vgpu
