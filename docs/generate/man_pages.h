// SPDX-License-Identifier: Apache-2.0
// Man pages as scdoc text. `fragment` is prose from docs/man, already scdoc; it may be empty.
#pragma once

#include <string>

#include "docs/generate/command_tree.h"

namespace polyrail::docs {

// polyrail(1)
std::string commandPage(const CommandTree& command, const std::string& fragment);
// polyrail-VERB(1)
std::string verbPage(const CommandTree& verb, const std::string& fragment);
// polyrail-tuner(7), polyrail-net(7): `reader` as in the table of settings
std::string pluginPage(const std::string& reader, const std::string& fragment);

// Text that scdoc takes as it is.
std::string escaped(const std::string& text);

}  // namespace polyrail::docs
