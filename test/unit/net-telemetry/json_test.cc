// SPDX-License-Identifier: Apache-2.0
#include "net/telemetry/json.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "test/unit/net-telemetry/sample_file.h"
#include "test/unit/temp_dir.h"

namespace polyrail::net {
namespace {

TEST(TelemetryJson, SaysWhatTheRailsDid) {
  SampleFile sample;
  sample.header.rank = kNoRank;
  putText(sample.header.command, "a \"b\\\n");
  sample.rails[1].latency[10] = 5;
  const nlohmann::json j = nlohmann::json::parse(telemetryJson(sample.header, sample.rails));
  EXPECT_EQ(j["version"], 1);
  EXPECT_TRUE(j["rank"].is_null());
  EXPECT_EQ(j["host"], "node1");
  EXPECT_EQ(j["command"], "a \"b\\?");
  ASSERT_EQ(j["rails"].size(), 2u);
  EXPECT_EQ(j["rails"][1]["name"], "emu1:1");
  EXPECT_EQ(j["rails"][1]["bytes_sent"], 101);
  EXPECT_EQ(j["rails"][1]["state"], "up");
  EXPECT_EQ(j["rails"][1]["latency"], nlohmann::json::parse(R"([{"below_ns": 2048, "count": 5}])"));
}

TEST(TelemetryJson, NamesAreExpanded) {
  TelemetryHeader header = SampleFile().header;
  EXPECT_EQ(expandName("/a/%h-%p.%r%%%x%", header), "/a/node1-4711.3%%x%");
  header.rank = kNoRank;
  EXPECT_EQ(expandName("%r", header), "unknown");
}

TEST(TelemetryJson, AFileIsWrittenWholeOrNotAtAll) {
  const test::TempDir dir;
  EXPECT_TRUE(writeFile(dir.file("t.json"), "one").ok());
  EXPECT_TRUE(writeFile(dir.file("t.json"), "two").ok());
  EXPECT_EQ(dir.read("t.json"), "two");
  const Status failed = writeFile(dir.file("none/t.json"), "x");
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.message(), testing::HasSubstr("none/t.json"));
}

}  // namespace
}  // namespace polyrail::net
