// SPDX-License-Identifier: Apache-2.0
// What was learned, for people and for programs. Pure but for the printing; one thread.
#pragma once

#include <nlohmann/json.hpp>

#include "cli/learn/learn.h"

namespace polyrail::cli {

// One table a collective and layout, with the reason where NCCL's default stays; then where the default itself leaves
// time on the table.
void printLearned(const Learned& learned, bool colour);

nlohmann::ordered_json asJson(const Learned& learned);

}  // namespace polyrail::cli
