// SPDX-License-Identifier: Apache-2.0
// Whether this is the bare build: one without telemetry, failover and standby, which ends a comm with its first
// failed path and does for no message what only they need. Never installed: `make bars ONLY=net-cost` compiles it
// into a folder of its own, to count what they cost where nothing fails. It must run with POLYRAIL_FAILOVER=off and
// POLYRAIL_TELEMETRY=off.
#pragma once

namespace polyrail::net {

#ifdef POLYRAIL_BARE
inline constexpr bool kBare = true;
#else
inline constexpr bool kBare = false;
#endif

}  // namespace polyrail::net
