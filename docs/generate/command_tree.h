// SPDX-License-Identifier: Apache-2.0
// The command as its own option declarations say it is: what man pages and completions are made from, so that they
// cannot differ from `--help`. Plain values; one thread, at build time only.
#pragma once

#include <string>
#include <vector>

namespace polyrail::docs {

enum class Takes { kNothing, kText, kOneOf, kFile, kPolicy, kFolder };

struct OptionTree {
  std::vector<std::string> names;  // "-o", "--output"; of a positional its name, "FILE"
  bool positional = false, required = false, many = false;
  Takes takes = Takes::kNothing;
  std::vector<std::string> values;  // of kOneOf
  std::string meaning;
};

struct CommandTree {
  std::string name;  // "learn", "policy install"; "" for the command itself
  std::string summary, footer;
  std::vector<OptionTree> options;
  std::vector<CommandTree> children;
};

CommandTree commandTree();

}  // namespace polyrail::docs
