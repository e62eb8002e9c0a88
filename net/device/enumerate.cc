// SPDX-License-Identifier: Apache-2.0
#include "net/device/enumerate.h"

#include "net/device/device_list.h"
#include "net/device/facts.h"

namespace polyrail::net {
namespace {

Status verbsFails(int error) {
  const bool noModule = error == ENOSYS || error == ENOENT;
  return Status::error(std::string("ibv_get_device_list failed: ") + std::strerror(error) +
                       (noModule ? "; load the kernel module ib_uverbs" : ""));
}

}  // namespace

Result<Enumeration> enumerate(const Verbs& verbs, const SysRoot& root, const DeviceSettings& settings,
                              const Mlx5& mlx5) {
  const DeviceList list(verbs);
  if (list.error()) return verbsFails(list.error());
  return decidePorts(factsFromVerbs(verbs, list.devices(), root, settings, mlx5), root, settings);
}

Result<Enumeration> enumerateRecorded(const SysRoot& root, const DeviceSettings& settings) {
  return decidePorts(factsFromSysfs(root, settings), root, settings);
}

}  // namespace polyrail::net
