// SPDX-License-Identifier: Apache-2.0
// How long a plugin's calls may block before the suite calls it a breach. NCCL states no numbers: one service thread
// serves all peers of a rank, so a call that waits for one peer holds up all; and an abort must end. Constants.
#pragma once

#include <chrono>

namespace polyrail::contract {

// One call that sets up, registers or moves data.
inline constexpr std::chrono::milliseconds kMayBlock{250};
// A close or a finalize, with nobody at the other end.
inline constexpr std::chrono::milliseconds kMayClose{3000};

}  // namespace polyrail::contract
