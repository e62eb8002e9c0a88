// SPDX-License-Identifier: Apache-2.0
// Any bytes are nccl-tests output, or nothing and one reason.
#include <cstdlib>

#include "cli/read/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const polyrail::CollectedRuns read = polyrail::collectRunsFromText(text, "fuzz");
  if (read.summary.rows == 0 && read.summary.reason.empty()) std::abort();
  return 0;
}
