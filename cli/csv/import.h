// SPDX-License-Identifier: Apache-2.0
// NVIDIA's CSV as a policy. The example tuner takes the first row that matches and, where NCCL does not allow it, the
// next that does; a policy's rule lists its choices. So each table gets, for its own communicators, every row that
// matches those, in the file's order, cut at all their boundaries. Pure; any thread.
#pragma once

#include <string_view>

#include "cli/csv/row.h"
#include "common/status.h"

namespace polyrail {

struct CsvImport {
  Policy policy;  // valid; without name and identity
  size_t rows = 0;
  Remarks remarks;  // in the order of lines
};

// `uniformApplication`: the user vouches that all ranks register alike; without it rows that look at regBuff are left
// out. An error only for what is no text or too much: rows that cannot be used are remarks.
Result<CsvImport> importCsv(std::string_view text, std::string_view place, bool uniformApplication);

}  // namespace polyrail
