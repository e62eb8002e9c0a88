// SPDX-License-Identifier: Apache-2.0
// What NCCL's own log lines tell about a run. Formats and versions: NCCL 2.8 to 2.30.7, src/init.cc, src/graph,
// src/misc, src/plugin. Stateless but for the facts it fills.
#pragma once

#include "cli/read/run_facts.h"

namespace polyrail::read {

// False for almost all messages, by their first bytes: those that takeLogMessage() has no use for.
bool mayTell(std::string_view message);

// `host` is that of the line's "host:pid:tid"; empty when it has none. "-> Algo" lines are not for here.
void takeLogMessage(RunFacts& facts, std::string_view host, std::string_view message);

// The value of one variable that steers a run, as the log or a command line has it; others are ignored.
void takeVariable(Forced& forced, std::string_view name, std::string_view value);

}  // namespace polyrail::read
