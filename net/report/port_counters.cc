// SPDX-License-Identifier: Apache-2.0
#include "net/report/port_counters.h"

#include <cstring>

namespace polyrail::net {
namespace {

std::string folderOf(const std::string& device, unsigned port) {
  return "/sys/class/infiniband/" + device + "/ports/" + std::to_string(port) + "/";
}

}  // namespace

PortCounters readPortCounters(const SysRoot& root, const std::string& device, unsigned port) {
  const std::string folder = folderOf(device, port);
  PortCounters all;
  for (size_t i = 0; i < all.size(); i++) all[i] = root.readNumber(folder + kPortCounters[i]);
  return all;
}

PortCounters readAgain(const SysRoot& root, const std::string& device, unsigned port, const PortCounters& before) {
  const std::string folder = folderOf(device, port);
  PortCounters all;
  for (size_t i = 0; i < all.size(); i++)
    if (before[i]) all[i] = root.readNumber(folder + kPortCounters[i]);
  return all;
}

std::vector<CounterChange> changes(const PortCounters& before, const PortCounters& now) {
  std::vector<CounterChange> changed;
  for (size_t i = 0; i < now.size(); i++) {
    if (!before[i] || !now[i] || *now[i] == *before[i]) continue;
    const uint64_t by = *now[i] > *before[i] ? *now[i] - *before[i] : *now[i];
    if (by > 0) changed.push_back({std::strchr(kPortCounters[i], '/') + 1, by});
  }
  return changed;
}

}  // namespace polyrail::net
