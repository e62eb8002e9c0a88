// SPDX-License-Identifier: Apache-2.0
// Whether a policy was made for this machine, as far as that shows without a GPU, a driver library or privileges: GPU
// model from the driver's files in /proc, NICs from /sys/class/infiniband, the distribution's NCCL by its file name,
// /etc/nccl.conf.
#pragma once

#include "cli/policy/finding.h"
#include "common/sysroot.h"

namespace polyrail {

// An error for each part of the identity that is another here; a note for each that could not be compared, with the
// reason. Nothing for what agrees. A warning where the net plugin is switched on and this NCCL would lose it.
Findings checkMachine(const Identity& identity, const SysRoot& root);

// Its parts, for machine.cc: NCCL, and the note that something could not be compared.
void checkNccl(const Identity& identity, const SysRoot& root, Findings& out);
Finding notCompared(const char* what, const std::string& why);

}  // namespace polyrail
