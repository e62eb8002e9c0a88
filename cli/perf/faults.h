// SPDX-License-Identifier: Apache-2.0
// `--fault`: a script that the emulated verbs of polyrail's test bench play while this process uses them
// (test/emu/README.md has its format). Hardware plays none: there, cut a rail with `ip link` or `tc`. One thread,
// before the plugin is loaded and after.
#pragma once

#include <string>

#include "common/status.h"

namespace polyrail::cli {

// Tells the emulator, by its environment variable, which script to play. Nothing to do for "".
Status announceFaults(const std::string& script);
// After the plugin has loaded verbs: an error when those are not emulated, so that no run without faults passes for
// one with them.
Status checkFaultsArePlayed(const std::string& script);

}  // namespace polyrail::cli
