// SPDX-License-Identifier: Apache-2.0
// The proof that the net suite can find what is wrong: copies of the reference plugin with one defect each
// (plugins/planted_net), the case that must find it, and words of the sentence that must say so. One thread.
#pragma once

#include <span>
#include <string>

#include "test/contract/host/net_cases.h"

namespace polyrail::contract {

struct Planted {
  const char* defect;
  const char* foundBy;  // a case
  const char* finding;
};
std::span<const Planted> plantedDefects();

// Built beside the tests: POLYRAIL_BUILD's plugins.
std::string referenceNet();
// Runs the case on a copy that lives in a folder of its own for as long.
CaseResult runPlanted(const Planted& planted);

}  // namespace polyrail::contract
