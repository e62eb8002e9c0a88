// SPDX-License-Identifier: Apache-2.0
// The defects that can be planted, each a change to the table or to the hooks of transfers.h.
#pragma once

#include <span>

#include "test/contract/plugins/planted_net/transfers.h"

namespace planted {

struct Defect {
  const char* name;
  void (*plant)(NetV12& table);
};

std::span<const Defect> receiveDefects();
std::span<const Defect> sendDefects();
std::span<const Defect> memoryDefects();
std::span<const Defect> connectionDefects();
std::span<const Defect> lifeDefects();

}  // namespace planted
