// SPDX-License-Identifier: Apache-2.0
// A strict reader of Prometheus' text format 0.0.4, for tests: names and labels by their grammar, HELP and TYPE once
// and before a family's samples, families not mixed, no series twice, buckets that rise and end in +Inf = count.
#pragma once

#include <map>
#include <string>

namespace polyrail::cli::test {

struct Exposition {
  std::map<std::string, double> samples;     // by name{label="value",...} as written
  std::map<std::string, std::string> types;  // by family
  std::string error;                         // with its line; empty: the text is valid
};

Exposition readExposition(const std::string& text);

}  // namespace polyrail::cli::test
