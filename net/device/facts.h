// SPDX-License-Identifier: Apache-2.0
// What verbs and /sys say of the NICs, before anything is decided: gathering it needs a machine, deciding does not.
// Plain values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/sysroot.h"
#include "net/device/port.h"
#include "net/settings.h"
#include "net/verbs/mlx5.h"
#include "net/verbs/verbs.h"

namespace polyrail::net {

struct PortFacts {
  int number = 1;
  std::string problem;  // why it could not be asked; empty: it could
  bool active = false;
  std::string state;              // for people: "DOWN, Disabled"
  std::optional<LinkLayer> link;  // nothing: neither of the two, iWARP say
  uint16_t lid = 0;
  uint32_t speedMbps = 0;
  uint8_t mtu = 0;
  uint32_t maxMessage = 1u << 31;
  std::vector<GidEntry> gids;
  std::vector<PkeyEntry> pkeys;
};

struct DeviceFacts {
  std::string name;
  std::string problem, remedy;  // why it could not be opened or asked; empty: it could
  uint64_t guid = 0;
  DeviceLimits limits;
  std::string realPath;  // below /sys, unmerged; empty: no PCI device
  std::string cardPath;  // of the physical function when this is a virtual one and /sys says so; else empty
  // Of the card's data-direct function, below /sys; empty: it has none, or none is wanted. Its place on NUMA.
  std::string dataDirectPath;
  int dataDirectNode = -1;
  std::string dataDirectProblem;  // why it could not be asked
  std::vector<std::string> netdevs;
  int numaNode = -1;
  bool relaxedOrdering = false;  // the library can
  GpuDirect gpuDirect;
  std::vector<PortFacts> ports;
};

// Opens, asks and closes every NIC in the list of verbs, in its order.
std::vector<DeviceFacts> factsFromVerbs(const Verbs& verbs, std::span<ibv_device* const> devices, const SysRoot& root,
                                        const DeviceSettings& settings, const Mlx5& mlx5);
// What /sys/class/infiniband alone tells.
std::vector<DeviceFacts> factsFromSysfs(const SysRoot& root, const DeviceSettings& settings);

// Shared by both: the part of a device, and of a port but its GIDs, that comes from /sys.
void readDeviceFiles(const SysRoot& root, DeviceFacts* device);
PortFacts readPortFiles(const SysRoot& root, const std::string& device, int number);
bool peermemLoaded(const SysRoot& root);

// Who decides: which of the ports are used, in which order, and why not the others.
Enumeration decidePorts(const std::vector<DeviceFacts>& devices, const SysRoot& root, const DeviceSettings& settings);

}  // namespace polyrail::net
