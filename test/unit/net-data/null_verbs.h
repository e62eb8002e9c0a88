// SPDX-License-Identifier: Apache-2.0
// Verbs that cost next to nothing: queue pairs of one process that write straight into each other's memory, with no
// time, no checks and no allocation while data moves. For counting what our own code does between them.
#pragma once

#include "net/path/local_rail.h"

namespace polyrail::net::null_verbs {

// One device for all. Work may be posted and polled from any thread, the rest from one. Objects live until the
// process ends.
Verbs table();
LocalRail rail(unsigned index);

}  // namespace polyrail::net::null_verbs
