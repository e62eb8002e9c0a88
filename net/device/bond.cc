// SPDX-License-Identifier: Apache-2.0
#include "net/device/bond.h"

namespace polyrail::net {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> found;
  size_t from = 0;
  while ((from = text.find_first_not_of(" \n", from)) != std::string::npos) {
    const size_t to = std::min(text.find_first_of(" \n", from), text.size());
    found.push_back(text.substr(from, to - from));
    from = to;
  }
  return found;
}

}  // namespace

std::optional<Bond> findBond(const SysRoot& root, const std::string& netdev) {
  if (netdev.empty()) return std::nullopt;
  const std::string net = "/sys/class/net/";
  std::string name = netdev;
  if (!root.exists(net + name + "/bonding")) {
    const std::string master = root.realPath(net + netdev + "/master").value_or("");
    name = master.substr(master.rfind('/') + 1);
    if (name.empty() || !root.exists(net + name + "/bonding")) return std::nullopt;
  }
  Bond bond;
  bond.name = name;
  const std::vector<std::string> mode = words(root.read(net + name + "/bonding/mode").value_or(""));
  if (!mode.empty()) bond.mode = mode[0];  // "802.3ad 4"
  bond.members = words(root.read(net + name + "/bonding/slaves").value_or(""));
  return bond;
}

}  // namespace polyrail::net
