// SPDX-License-Identifier: Apache-2.0
// Any bytes are a CSV of NVIDIA's example tuner, with remarks; what is imported is a valid policy.
#include <cstdlib>

#include "cli/csv/import.h"
#include "common/policy/policy_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto imported = polyrail::importCsv(text, "fuzz.csv", true);
  if (!imported.ok()) return 0;
  if (!polyrail::parsePolicy(polyrail::writePolicy(imported.value().policy), "again").ok()) std::abort();
  return 0;
}
