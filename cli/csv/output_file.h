// SPDX-License-Identifier: Apache-2.0
// Where a verb's result goes: a file, or standard output. One thread.
#pragma once

#include <string>

#include "common/status.h"

namespace polyrail {

// "" is standard output. A file appears whole or not at all: it is written beside its place and then renamed.
Status writeOutput(const std::string& path, const std::string& text);

}  // namespace polyrail
