// SPDX-License-Identifier: Apache-2.0
// Files that are no policy: malformed, unreadable, endless, of the wrong kind, or with numbers beyond all ranges.
#pragma once

#include <functional>
#include <ostream>
#include <vector>

#include "test/contract/tuner/plugin_under_test.h"

namespace polyrail::contract {

struct Hostile {
  std::string name;  // letters only
  // Makes the file and returns its path; empty when this machine cannot.
  std::function<std::string(const ScratchFolder&)> make;
  bool asNobody = false;  // to be read by a user without rights
};
inline std::ostream& operator<<(std::ostream& out, const Hostile& hostile) { return out << hostile.name; }

std::vector<Hostile> hostilePolicies();

}  // namespace polyrail::contract
