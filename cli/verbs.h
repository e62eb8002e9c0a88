// SPDX-License-Identifier: Apache-2.0
// One declaration a verb; each is defined in the file of the same name, verb_NAME.cc.
#pragma once

#include "cli/verb.h"

namespace polyrail::cli {

void attachCheck(CLI::App& verb, int& exitCode);
void attachEnv(CLI::App& verb, int& exitCode);
void attachEval(CLI::App& verb, int& exitCode);
void attachExplain(CLI::App& verb, int& exitCode);
void attachLearn(CLI::App& verb, int& exitCode);
void attachExport(CLI::App& verb, int& exitCode);
void attachImport(CLI::App& verb, int& exitCode);
void attachPerf(CLI::App& verb, int& exitCode);
void attachPolicy(CLI::App& verb, int& exitCode);
void attachRails(CLI::App& verb, int& exitCode);
void attachRead(CLI::App& verb, int& exitCode);
void attachSweep(CLI::App& verb, int& exitCode);
void attachTop(CLI::App& verb, int& exitCode);

}  // namespace polyrail::cli
