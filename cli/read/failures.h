// SPDX-License-Identifier: Apache-2.0
// Lines that say why a run failed. Stateless.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace polyrail::read {

// The line if it reports a failure, shortened for a person: no control characters, at most 160 bytes, no secrets
// (secrets.h). Empty for any other line.
std::string failureIn(std::string_view line);

// What a line that reports a failure has in it.
std::span<const std::string_view> failureSigns();

// `text` as failureIn() shortens it.
std::string shortened(std::string_view text);

}  // namespace polyrail::read
