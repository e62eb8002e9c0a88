// SPDX-License-Identifier: Apache-2.0
// Writes a file whole or not at all: readers see the old one or the new one. One thread.
#pragma once

#include <string>
#include <string_view>

#include "common/status.h"

namespace polyrail::cli {

// Writes beside the path, to disk, then renames over it. What is no regular file (a pipe, /dev/stdout) is written
// directly. The error names the path and the reason.
Status writeFile(const std::string& path, std::string_view text);

}  // namespace polyrail::cli
