// SPDX-License-Identifier: Apache-2.0
// The counters of a node's rails for Prometheus, one series a process and rail: a sum over processes would go back
// when one ends, which Prometheus takes for a restart. The names are in docs/telemetry.md and stay. Stateless.
#pragma once

#include <string>

#include "cli/top/sample.h"

namespace polyrail::cli {

std::string prometheusText(const TopSample& sample);

}  // namespace polyrail::cli
