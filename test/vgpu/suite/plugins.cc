// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/suite/plugins.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "test/vgpu/suite/cluster.h"

namespace polyrail::vgpu {

// The name in the string table is changed and the hash table is not: a lookup compares and finds nothing.
std::string without(const std::string& file, const std::vector<std::string>& names) {
  const char* build = getenv("POLYRAIL_BUILD");
  std::ifstream in(std::string(build ? build : "") + "/" + file, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  std::string bytes = all.str(), label;
  for (const std::string& name : names) {
    const std::string wanted = name + '\0';
    for (size_t at = bytes.find(wanted); at != std::string::npos; at = bytes.find(wanted, at + 1)) bytes[at] = '-';
    label += name.substr(name.rfind('_'));
  }
  const std::string path = ownFile("without" + label + "-" + file);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

}  // namespace polyrail::vgpu
