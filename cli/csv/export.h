// SPDX-License-Identifier: Apache-2.0
// A policy as NVIDIA's CSV, as far as that can say it. Pure; any thread.
#pragma once

#include "cli/csv/row.h"

namespace polyrail {

struct CsvExport {
  std::string text;
  size_t rows = 0;
  Remarks remarks;  // no lines: they name places of the policy
};

// REQUIRES: a valid policy. importCsv of the text gives the policy back when there are no remarks that say otherwise.
CsvExport exportCsv(const Policy& policy);

}  // namespace polyrail
