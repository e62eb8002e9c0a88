// SPDX-License-Identifier: Apache-2.0
// What may have changed of a port since it was enumerated, because addresses come and go, links retrain and subnet
// managers sweep: LID, MTU, GID and partition key. Costs a few hundred small reads: for set-up and the control
// thread, not for connect. One thread for one port.
#pragma once

#include "common/status.h"
#include "common/sysroot.h"
#include "net/device/port.h"
#include "net/settings.h"
#include "net/verbs/verbs.h"

namespace polyrail::net {

// The error names the port and what it lacks now; `port` then keeps what it had of that.
Status refreshPort(const Verbs& verbs, ibv_context* context, const SysRoot& root, const DeviceSettings& settings,
                   Port* port);

}  // namespace polyrail::net
