// SPDX-License-Identifier: Apache-2.0
// What users type and docs/versioning.md promises to keep: settings, verbs, options, one a line. docs/interface.txt
// is this text as it was agreed on; `make check-docs` compares. Pure function.
#pragma once

#include <string>

#include "docs/generate/command_tree.h"

namespace polyrail::docs {

std::string interfaceText(const CommandTree& command);

}  // namespace polyrail::docs
