// SPDX-License-Identifier: Apache-2.0
// One situation of situations.txt: a /sys built in a folder of its own, the environment of a user, and what should
// come of both. One thread: it sets environment variables while it lives.
#pragma once

#include <string>
#include <vector>

#include "common/sysroot.h"
#include "test/unit/temp_dir.h"

namespace polyrail::net {

using Words = std::vector<std::string>;

struct Situation {
  std::string name;
  std::vector<Words> lines;  // one a directive
};

// Directives that build: set, hidden, nic, physfn, port, gid, pkeys,
// unreadable, bond. The others are expectations.
std::vector<Situation> readSituations(const std::string& file);

class BuiltSituation {
 public:
  explicit BuiltSituation(const Situation& situation);
  ~BuiltSituation();
  BuiltSituation(const BuiltSituation&) = delete;
  BuiltSituation& operator=(const BuiltSituation&) = delete;

  std::string folder() const { return dir_.file(""); }
  SysRoot root() const { return SysRoot::at(dir_.file("")).value(); }

 private:
  void apply(const Words& words);
  void write(const std::string& path, const std::string& text) const;
  void link(const std::string& path, const std::string& target) const;
  void nic(const Words& words);
  void port(const Words& words);
  void gid(const Words& words);
  void bond(const Words& words) const;
  void pkeys(const Words& words) const;
  void show(const std::string& netdev) const;

  test::TempDir dir_;
  Words variables_, hidden_;
  std::string device_, pci_, port_;  // the last nic, its PCI folder, and the folder of the last port
};

}  // namespace polyrail::net
