// SPDX-License-Identifier: Apache-2.0
#include "test/unit/net-device/situation.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace polyrail::net {
namespace {

namespace fs = std::filesystem;

const std::string kClass = "sys/class/infiniband/", kPci = "sys/devices/pci0000:00/";

Words split(const std::string& line) {
  std::istringstream in(line);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string sysfsGid(const std::string& address) {
  unsigned char raw[16] = {};
  EXPECT_EQ(inet_pton(AF_INET6, address.c_str(), raw), 1) << address;
  char text[40];
  for (int i = 0; i < 8; i++)
    std::snprintf(text + 5 * i, 6, "%02x%02x%s", raw[2 * i], raw[2 * i + 1], i < 7 ? ":" : "");
  return text;
}

}  // namespace

std::vector<Situation> readSituations(const std::string& file) {
  std::ifstream in(file);
  std::vector<Situation> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.rfind("situation ", 0) == 0)
      all.push_back({line.substr(10), {}});
    else
      all.back().lines.push_back(split(line));
  }
  return all;
}

BuiltSituation::BuiltSituation(const Situation& situation) {
  for (const Words& words : situation.lines) apply(words);
}

BuiltSituation::~BuiltSituation() {
  for (const std::string& name : variables_) unsetenv(name.c_str());
}

void BuiltSituation::write(const std::string& path, const std::string& text) const {
  const fs::path whole = dir_.file(path);
  fs::create_directories(whole.parent_path());
  std::ofstream(whole) << text << "\n";
}

void BuiltSituation::link(const std::string& path, const std::string& target) const {
  const fs::path from = dir_.file(path), to = dir_.file(target);
  fs::create_directories(from.parent_path());
  fs::create_directories(to);
  fs::create_symlink(fs::relative(to, from.parent_path()), from);
}

void BuiltSituation::apply(const Words& words) {
  const std::string& what = words[0];
  if (what == "set") {
    const size_t equals = words[1].find('=');
    variables_.push_back(words[1].substr(0, equals));
    setenv(variables_.back().c_str(), words[1].substr(equals + 1).c_str(), 1);
  }
  if (what == "hidden") hidden_.push_back(words[1]);
  if (what == "nic") nic(words);
  if (what == "physfn") link(pci_ + "/physfn", kPci + words[1]);
  if (what == "port") port(words);
  if (what == "gid") gid(words);
  if (what == "unreadable") fs::create_directories(dir_.file(port_ + "/gids/" + words[1]));
  if (what == "pkeys") pkeys(words);
  if (what == "bond") bond(words);
}

void BuiltSituation::nic(const Words& words) {
  device_ = words[1];
  fs::create_directories(dir_.file(kClass + device_));
  pci_ = kPci + words[2];
  if (words[2] != "-") link(kClass + device_ + "/device", pci_);
}

void BuiltSituation::port(const Words& words) {
  port_ = kClass + device_ + "/ports/" + words[1];
  write(port_ + "/link_layer", words[2]);
  write(port_ + "/state", words[3] == "ACTIVE" ? "4: ACTIVE" : "1: " + words[3]);
  write(port_ + "/rate", "400 Gb/sec (4X NDR)");
  write(port_ + "/lid", "0x0");
}

void BuiltSituation::show(const std::string& netdev) const {
  if (netdev != "-" && std::find(hidden_.begin(), hidden_.end(), netdev) == hidden_.end())
    fs::create_directories(dir_.file("sys/class/net/" + netdev));
}

void BuiltSituation::gid(const Words& words) {
  write(port_ + "/gids/" + words[1], sysfsGid(words[2]));
  if (words[3] != "-") write(port_ + "/gid_attrs/types/" + words[1], words[3] == "v2" ? "RoCE v2" : "IB/RoCE v1");
  if (words[4] != "-") write(port_ + "/gid_attrs/ndevs/" + words[1], words[4]);
  show(words[4]);
}

// As the kernel shows a table: unused entries are there and hold 0.
void BuiltSituation::pkeys(const Words& words) const {
  for (size_t i = 1; i < words.size(); i++) write(port_ + "/pkeys/" + std::to_string(i - 1), words[i]);
}

void BuiltSituation::bond(const Words& words) const {
  std::string members;
  for (size_t i = 3; i < words.size(); i++) members += (i > 3 ? " " : "") + words[i];
  write("sys/class/net/" + words[1] + "/bonding/mode", words[2] + " 4");
  write("sys/class/net/" + words[1] + "/bonding/slaves", members);
}

}  // namespace polyrail::net
