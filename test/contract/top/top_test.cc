// SPDX-License-Identifier: Apache-2.0
// `polyrail top` beside a process that moves known bytes through the plugin that ships, on emulated rails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "test/contract/host/child.h"
#include "test/contract/top/job.h"
#include "test/unit/temp_dir.h"

namespace polyrail::contract {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

struct Top : testing::Test {
  test::TempDir dir;

  JobPlan plan() const { return {.telemetry = dir.file(""), .faults = ""}; }
  ChildResult top(const std::string& words) const {
    const std::string command = std::string(std::getenv("POLYRAIL_BUILD")) + "/polyrail top --folder " + dir.file("");
    return runProgram({{"/bin/sh", "-c", command + " --interval 0.1 " + words + " 2>" + dir.file("errors")},
                       {"PATH=/usr/bin:/bin", "TERM=xterm"},
                       dir.file("")},
                      std::chrono::seconds(60));
  }
  json look() const { return json::parse(top("--once --json").output, nullptr, false); }

  // What it shows once that is so; the last of it, and a failure, when it does not become so within half a minute.
  json until(const std::function<bool(const json&)>& so) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (;;) {
      json shown = look();
      if (shown.is_object() && so(shown)) return shown;
      if (std::chrono::steady_clock::now() < end) continue;
      ADD_FAILURE() << shown.dump(2);
      return shown;
    }
  }
};

uint64_t sum(const json& rails, const char* member) {
  uint64_t all = 0;
  for (const json& r : rails) all += r[member].get<uint64_t>();
  return all;
}

TEST_F(Top, ShowsTheBytesThatWereMoved) {
  const JobPlan p = plan();
  Job job(p);
  ASSERT_TRUE(job.ready());
  const uint64_t moved = p.messages * p.size;
  const json shown = until([&](const json& j) { return sum(j["rails"], "bytes_received") == moved; });
  EXPECT_EQ(sum(shown["rails"], "bytes_sent"), moved);
  ASSERT_EQ(shown["rails"].size(), 2u);
  for (const json& rail : shown["rails"]) {
    EXPECT_EQ(rail["state"], "up");
    EXPECT_GT(rail["bytes_sent"], 0);
    EXPECT_EQ(rail["failures"], 0);
  }
  ASSERT_EQ(shown["processes"].size(), 1u);
  EXPECT_EQ(shown["processes"][0]["pid"], job.pid());
  EXPECT_EQ(shown["processes"][0]["comms"], 2);
  EXPECT_EQ(sum(shown["paths"], "bytes"), 2 * moved);
  EXPECT_EQ(top("--once").status, 0);

  ASSERT_TRUE(top("--once --prometheus " + dir.file("rails.prom")).ok());
  EXPECT_THAT(dir.read("rails.prom"), HasSubstr("polyrail_rail_up{device=\"emu0\",port=\"1\",pid=\"" +
                                                std::to_string(job.pid()) + "\"} 1\n"));
}

TEST_F(Top, SelectsAndSaysWhatItLeavesOut) {
  Job first(plan()), second(plan());
  ASSERT_TRUE(first.ready() && second.ready());
  until([](const json& j) { return j["processes"].size() == 2; });
  const ChildResult one = top("--once --pid " + std::to_string(second.pid()));
  EXPECT_THAT(one.output, HasSubstr("1 process, 2 of 2 rails up"));
  EXPECT_THAT(one.output, HasSubstr("1 process is not selected"));
  EXPECT_THAT(top("--once --device emu1").output, Not(HasSubstr("emu0:1")));
  const ChildResult none = top("--once --rank 77");
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.output, HasSubstr("no process is selected"));
}

TEST_F(Top, ARailThatIsCutIsShownWithItsCause) {
  JobPlan p = plan();
  p.goOn = true;
  p.faults = dir.write("faults.json", R"({"faults": [
    {"after_bytes": "8MB", "watch": "a/emu1", "do": "port_down", "target": "a/emu1"}]})");
  Job job(p);
  ASSERT_TRUE(job.ready());
  const json shown = until([](const json& j) {
    return j["rails"].size() == 2 && j["rails"][1]["state"] == "down" && j["rails"][1]["failures"] > 0;
  });
  EXPECT_EQ(shown["rails"][0]["state"], "up");
  EXPECT_FALSE(shown["rails"][1]["last_cause"].is_null());
  const ChildResult people = top("--once");
  EXPECT_EQ(people.status, 1);
  EXPECT_THAT(people.output, HasSubstr("1 of 2 rails up"));
  EXPECT_THAT(people.output, HasSubstr("ago: " + shown["rails"][1]["last_cause"].get<std::string>()));
}

TEST_F(Top, AProcessThatWasKilledIsNamedAndNotCounted) {
  Job job(plan());
  ASSERT_TRUE(job.ready());
  until([](const json& j) { return j["processes"].size() == 1; });
  job.end();
  const json shown = look();
  EXPECT_TRUE(shown["processes"].empty());
  EXPECT_EQ(shown["ended"].size(), 1u);
}

TEST_F(Top, WithoutJobsItSaysWhereItLooked) {
  const ChildResult none = top("--once");
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.output, HasSubstr("no process shows its rails in " + dir.file("")));
  const ChildResult asJson = top("--once --json");
  EXPECT_EQ(asJson.status, 1);
  EXPECT_TRUE(json::parse(asJson.output)["rails"].empty());
  EXPECT_THAT(dir.read("errors"), HasSubstr("NCCL_NET_PLUGIN=polyrail"));
}

TEST_F(Top, EndsWithItsReaderAndSaysWhenItCannotWrite) {
  EXPECT_THAT(top("| head -1").output, HasSubstr("0 processes"));
  const ChildResult lines = top("--json | head -2");
  EXPECT_EQ(std::count(lines.output.begin(), lines.output.end(), '\n'), 2);
  EXPECT_EQ(top("--once >/dev/full").status, 4);
  EXPECT_EQ(top("--prometheus " + dir.file("none/rails.prom")).status, 4);
  EXPECT_THAT(dir.read("errors"), HasSubstr("none/rails.prom"));
  EXPECT_EQ(top("--interval 0").status, 2);
}

// Foreign files, and what people may name them.
TEST_F(Top, HostileFilesCostThemselvesOnly) {
  Job job(plan());
  ASSERT_TRUE(job.ready());
  dir.write("polyrail.99.\x1b[2J", std::string(8000, 'x'));
  ASSERT_EQ(symlink("/dev/zero", dir.file("polyrail.100.a").c_str()), 0);
  const json shown = until([](const json& j) { return j["processes"].size() == 1; });
  EXPECT_EQ(shown["unreadable"].size(), 2u);
  EXPECT_THAT(top("--once").output, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace polyrail::contract
