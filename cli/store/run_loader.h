// SPDX-License-Identifier: Apache-2.0
// Reads the runs of a store back as they were added. One thread.
#pragma once

#include <vector>

#include "cli/data/labelled_run.h"
#include "cli/store/database.h"

namespace polyrail::cli {

Result<std::vector<LabelledRun>> loadRuns(Database& database);

}  // namespace polyrail::cli
