// SPDX-License-Identifier: Apache-2.0
// Whether a policy was made for this machine, as far as that shows without a GPU, a driver library or privileges: GPU
// model from the driver's files in /proc, NICs from /sys/class/infiniband, the distribution's NCCL by its file name.
#pragma once

#include "cli/policy/finding.h"
#include "common/sysroot.h"

namespace polyrail {

// An error for each part of the identity that is another here; a note for each that could not be compared, with the
// reason. Nothing for what agrees.
Findings checkMachine(const Identity& identity, const SysRoot& root);

}  // namespace polyrail
