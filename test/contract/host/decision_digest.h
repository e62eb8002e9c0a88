// SPDX-License-Identifier: Apache-2.0
// Everything a tuner answers for one communicator over a fixed set of calls, as one digest: two ranks agree exactly
// when their digests are equal. Safe from several threads on one host.
#pragma once

#include <string>

#include "test/contract/host/tuner_host.h"

namespace polyrail::contract {

// Creates the communicator, asks for every collective over sizes from 0 to 1 TiB (those drawn from `seed` too), and
// destroys it. Hex, or a sentence when init fails.
std::string digestOfDecisions(const TunerHost& host, const CommShape& shape, uint64_t seed);

}  // namespace polyrail::contract
