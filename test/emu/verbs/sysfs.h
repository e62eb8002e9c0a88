// SPDX-License-Identifier: Apache-2.0
// The files that a real NIC has below /sys/class/infiniband/NAME, answered from the fabric. Read under the session's
// lock.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "test/emu/core/world.h"

namespace polyrail::emu {

// The content of a file, with its newline; `path` is absolute as in /sys. Nothing when there is no such file.
std::optional<std::string> readSysfs(const World& world, int host, const std::string& path);
// Every file of a NIC, by its path below the NIC's folder.
std::map<std::string, std::string> sysfsOf(const Device& device);

}  // namespace polyrail::emu
