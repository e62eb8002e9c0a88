// SPDX-License-Identifier: Apache-2.0
// Results as JSON, of both shapes there are: that of nccl-tests' -J (since 2.17.4; file version 3 in 2.19,
// src/util.cu) and {"identifier": "nccl-tests structured output", "benchmark": [...]} (nccl-tests pull request 318).
// One pass; what is whole before a cut is kept. Of the environment that -J dumps only the variables that steer NCCL
// are looked at.
#pragma once

#include <string>

#include "cli/read/line_source.h"
#include "cli/read/run_facts.h"

namespace polyrail::read {

struct JsonSummary {
  uint64_t rows = 0, runs = 0;
  std::string problem;  // where and why the text stopped being JSON; empty when it did not
};

// Reads one JSON value from where `source` stands. `base` is what is known about its run from the text before it.
JsonSummary readJson(LineSource& source, RunFacts base, RunSink& sink);

// Where in a line of text such a value begins; npos when none does.
size_t jsonStart(std::string_view line);

}  // namespace polyrail::read
