// SPDX-License-Identifier: Apache-2.0
// Completion scripts: verbs, options, their words, policy files. None of them runs the command.
#pragma once

#include <string>

#include "docs/generate/command_tree.h"

namespace polyrail::docs {

std::string bashCompletion(const CommandTree& command);
std::string zshCompletion(const CommandTree& command);
std::string fishCompletion(const CommandTree& command);

// Every command that takes options, children before nobody: "learn", "policy", "policy install", ...
std::vector<const CommandTree*> allCommands(const CommandTree& command);
// 'text' for a POSIX-like shell.
std::string quoted(const std::string& text);

}  // namespace polyrail::docs
