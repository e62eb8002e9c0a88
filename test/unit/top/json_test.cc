// SPDX-License-Identifier: Apache-2.0
// The JSON against its schema, which is run by python3-jsonschema; without it that test is skipped.
#include "cli/top/json.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "test/unit/temp_dir.h"
#include "test/unit/top/samples.h"

namespace polyrail::cli {
namespace {

using test::at;
using test::process;
using test::rail;

TopView full() {
  RailSample r = rail("mlx5_0:1", 1000, 50);
  test::take(&r.latency, 3000, 2);
  r.serviceRate = 125'000'000, r.lastCause = "retry exceeded", r.lastFailureNs = 1, r.chunksSent = 128;
  ProcessSample p = process(1, {r, rail("mlx5_1:1")}, 2);
  PathSample path;
  path.comm = 1, path.rail = "mlx5_0:1", path.phase = "live", path.latency = r.latency, path.bytes = 7;
  p.paths = {path};
  TopSample now = at(1, {p, process(2, {})});
  now.ended = {"/dev/shm/polyrail.1"};
  now.unreadable = {"polyrail.\xff: no"};
  return viewOf(at(0, {}), now, {});
}

// "" for a valid one, nothing known: "skip".
std::string verdict(const std::string& json) {
  const polyrail::test::TempDir dir;
  const char* top = std::getenv("POLYRAIL_TOP");
  const std::string root = top ? top : ".";
  const std::string line = "python3 " + root + "/test/unit/policy/schema_check.py " + root +
                           "/docs/polyrail-top.schema.json " + dir.write("top.json", json) + " >" + dir.file("said");
  const int status = std::system(line.c_str());
  if (WIFEXITED(status) && (WEXITSTATUS(status) == 9 || WEXITSTATUS(status) == 127)) return "skip";
  return dir.read("said");
}

TEST(TopJson, IsAsItsSchemaSays) {
  const std::string said = verdict(jsonText(topJson(full())));
  if (said == "skip") GTEST_SKIP() << "python3 with jsonschema is not here (package python3-jsonschema)";
  EXPECT_EQ(said, "valid\n");
  EXPECT_EQ(verdict(jsonLine(topJson({}))), "valid\n");
  nlohmann::ordered_json wrong = topJson(full());
  wrong["rails"][0]["state"] = "fine";
  EXPECT_NE(verdict(wrong.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)), "valid\n");
}

TEST(TopJson, SaysWhatIsNotKnown) {
  const auto j = topJson(full());
  EXPECT_EQ(j["rails"][0]["latency_us"]["p50"], 4.096);
  EXPECT_EQ(j["rails"][0]["chunks"], 128);
  EXPECT_EQ(j["rails"][0]["loaded_gbit_per_s"], 1.0);
  EXPECT_EQ(j["rails"][0]["bytes_sent"], 1000);
  EXPECT_EQ(j["rails"][0]["last_cause"], "retry exceeded");
  EXPECT_TRUE(j["rails"][1]["latency_us"].is_null());
  EXPECT_TRUE(j["rails"][1]["loaded_gbit_per_s"].is_null());
  EXPECT_EQ(j["processes"][0]["rank"], 2);
  EXPECT_TRUE(j["processes"][1]["rank"].is_null());
  EXPECT_EQ(j["paths"][0]["direction"], "receive");
}

TEST(TopJson, ALineIsOne) { EXPECT_EQ(jsonLine(topJson(full())).find('\n'), std::string::npos); }

}  // namespace
}  // namespace polyrail::cli
