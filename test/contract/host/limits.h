// SPDX-License-Identifier: Apache-2.0
// How long a plugin's calls may block before the suite calls it a breach. NCCL states no numbers: one service thread
// serves all peers of a rank, so a call that waits for one peer holds up all; and an abort must end. Where even a
// lock's owner waits for its processor (CallWatch cannot tell that from blocking) the program stretches them, once,
// before the first case.
#pragma once

#include <chrono>

namespace polyrail::contract {

inline int slowHost = 1;  // times

// One call that sets up, registers or moves data.
inline std::chrono::milliseconds mayBlock() { return std::chrono::milliseconds(250) * slowHost; }
// A close or a finalize, with nobody at the other end.
inline std::chrono::milliseconds mayClose() { return std::chrono::milliseconds(3000) * slowHost; }

}  // namespace polyrail::contract
