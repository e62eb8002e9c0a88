// SPDX-License-Identifier: Apache-2.0
// Where PCI devices hang on this machine, as hwloc tells: it knows platforms whose /sys is incomplete, and a topology
// that a user has put in its place (HWLOC_XMLFILE). The library is opened by dlopen and closed again, so that nodes
// without it do as well; asking it loads the whole topology, some 10 ms to 100 ms. For set-up, from one thread.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace polyrail::net {

struct PciPlace {
  std::vector<std::string> chain;  // bridges from the host bridge down, then the device itself; any names
  std::string processors;          // what the host bridge hangs on, a package say; any name
  bool whole = false;              // that is the whole machine
};

struct HwlocAnswer {
  std::string absent;                      // why there is none; empty when there is
  std::string version;                     // "hwloc 2.9"
  std::map<std::string, PciPlace> places;  // by PCI address, "0000:17:00.0"
  int nodes = 0;                           // NUMA nodes
};

// Opens `library`, or libhwloc.so.15, whose ABI is that of hwloc 2 (hwloc_get_api_version says so or it is not used).
HwlocAnswer askHwloc(const std::string& library = {});

}  // namespace polyrail::net
