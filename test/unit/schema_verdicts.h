// SPDX-License-Identifier: Apache-2.0
// What a JSON schema of policies/ says of documents, asked of python3-jsonschema. For tests; one thread.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "test/unit/temp_dir.h"

namespace polyrail::test {

inline std::string sourceTop() {
  const char* dir = std::getenv("POLYRAIL_TOP");
  return dir ? dir : ".";
}

// A line for each file, "valid\n" or why not; empty when the schema cannot be run here.
inline std::vector<std::string> schemaVerdicts(const std::string& schema, const std::vector<std::string>& files) {
  std::string line =
      "python3 " + sourceTop() + "/test/unit/policy/schema_check.py " + sourceTop() + "/policies/" + schema;
  for (const std::string& file : files) line += " '" + file + "'";
  std::FILE* pipe = popen(line.c_str(), "r");
  if (!pipe) return {};
  std::vector<std::string> out;
  char buffer[512];
  while (fgets(buffer, sizeof buffer, pipe)) out.emplace_back(buffer);
  const int status = pclose(pipe);
  if (WIFEXITED(status) && (WEXITSTATUS(status) == 9 || WEXITSTATUS(status) == 127)) return {};
  EXPECT_EQ(status, 0) << "schema_check.py failed";
  EXPECT_EQ(out.size(), files.size());
  return out;
}

inline std::vector<std::string> schemaVerdictsOf(const std::string& schema,
                                                 const std::vector<std::string>& documents) {
  const TempDir dir;
  std::vector<std::string> files;
  for (const std::string& json : documents) files.push_back(dir.write(std::to_string(files.size()), json));
  return schemaVerdicts(schema, files);
}

#define SKIP_WITHOUT_SCHEMA(lines) \
  if (lines.empty()) GTEST_SKIP() << "python3 with jsonschema is not here (package python3-jsonschema)"

}  // namespace polyrail::test
