// SPDX-License-Identifier: Apache-2.0
#include "docs/generate/interface.h"

#include "common/settings.h"

namespace polyrail::docs {
namespace {

void addCommand(const CommandTree& command, std::string& out) {
  const std::string prefix = command.name.empty() ? "polyrail" : "polyrail " + command.name;
  for (const OptionTree& option : command.options)
    for (const std::string& name : option.names) out += prefix + " " + name + "\n";
  if (command.options.empty()) out += prefix + "\n";
  for (const CommandTree& child : command.children) addCommand(child, out);
}

}  // namespace

std::string interfaceText(const CommandTree& command) {
  std::string out;
  for (const Setting& s : settings()) out += std::string(s.name) + "\n";
  addCommand(command, out);
  return out;
}

}  // namespace polyrail::docs
