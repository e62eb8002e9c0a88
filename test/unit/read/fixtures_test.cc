// SPDX-License-Identifier: Apache-2.0
// Every file of test/data/nccl-tests gives what expected.json says of it. The files and that list are written by
// make_logs.py there, which knows nothing of the reader.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/read/reader.h"
#include "cli/read/run_json.h"

namespace polyrail {
namespace {

using nlohmann::json;

std::string folder() {
  const char* top = std::getenv("POLYRAIL_TOP");
  return std::string(top ? top : ".") + "/test/data/nccl-tests/";
}

json expectations() {
  std::ifstream file(folder() + "expected.json");
  return json::parse(file, nullptr, /*allow_exceptions=*/false);
}

// A row as expected.json has it: size, count, type, the two words, then time, algbw, busbw and wrong of both halves.
struct Fields : RunSink {
  void onRow(const Run&, const Row&, const RowText& t) override {
    json row = {t.size, t.count, t.type, t.redop, t.root};
    for (int half = 0; half < 2; half++)
      for (std::string_view text : {t.time[half], t.algBw[half], t.busBw[half], t.wrong[half]}) row.push_back(text);
    rows.push_back(std::move(row));
  }
  json rows = json::array();
};

template <typename T>
json orNull(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json choices(const Run& run) {
  json all = json::array();
  for (const LoggedChoice& c : run.choices)
    all.push_back({nccl::name(c.collective), c.totalBytes, nccl::name(c.algorithm), nccl::name(c.protocol),
                   orNull(c.channels), c.lines});
  return all;
}

json costs(const Run& run) {
  json all = json::array();
  for (const auto& cell : runAsJson(run).value("cost_table", nlohmann::ordered_json::array()))
    all.push_back(
        {cell["collective"], cell["algorithm"], cell["protocol"], cell["latency_us"], cell["bandwidth_gbs"]});
  return all;
}

// The value of the run for one key of expected.json.
json found(const Run& run, const std::string& key) {
  if (key == "test") return run.collectiveText;
  if (key == "collective") return run.collective ? json(nccl::name(*run.collective)) : json(nullptr);
  if (key == "ranks") return orNull(run.ranks);
  if (key == "nodes") return orNull(run.nodes);
  if (key == "gpu") return run.gpu;
  if (key == "nccl") return run.ncclVersion;
  if (key == "tests") return run.testsVersion;
  if (key == "algo") return run.forced.algorithm;
  if (key == "proto") return run.forced.protocol;
  if (key == "min_channels") return orNull(run.forced.minChannels);
  if (key == "max_channels") return orNull(run.forced.maxChannels);
  if (key == "tuner") return run.tunerPlugin;
  if (key == "net_plugin") return run.netPlugin;
  if (key == "network") return run.network;
  if (key == "pool") return orNull(run.collChannels);
  if (key == "complete") return run.complete;
  if (key == "cpu_time") return run.settings.cpuTime;
  if (key == "choices") return choices(run);
  if (key == "costs") return costs(run);
  return "no such key: " + key;
}

TEST(Fixtures, EveryFileGivesWhatIsInIt) {
  const json all = expectations();
  ASSERT_GT(all.size(), 50u) << "no expected.json in " << folder();
  for (const auto& [name, expected] : all.items()) {
    const Result<CollectedRuns> read = collectRuns(folder() + name);
    ASSERT_TRUE(read.ok()) << read.message();
    const std::vector<polyrail::Run>& runs = read.value().runs;
    EXPECT_NE(read.value().summary.reason.find(expected.value("reason", "")), std::string::npos)
        << name << ": " << read.value().summary.reason;
    EXPECT_EQ(read.value().summary.reason.empty(), !expected.contains("reason")) << name;
    ASSERT_EQ(runs.size(), expected["runs"].size()) << name;
    for (size_t i = 0; i < runs.size(); i++)
      for (const auto& [key, value] : expected["runs"][i].items())
        if (key != "rows") {
          EXPECT_EQ(found(runs[i], key), value) << name << " run " << i << ": " << key;
        }
  }
}

// Rows of several writers come in the order of the file, so they are compared as a set.
TEST(Fixtures, EveryRowIsSpeltAsInTheFile) {
  const json all = expectations();
  for (const auto& [name, expected] : all.items()) {
    Fields sink;
    ASSERT_TRUE(readRuns(folder() + name, sink).ok());
    json rows = json::array();
    for (const auto& run : expected["runs"]) rows.insert(rows.end(), run["rows"].begin(), run["rows"].end());
    std::sort(rows.begin(), rows.end());
    std::sort(sink.rows.begin(), sink.rows.end());
    EXPECT_EQ(sink.rows, rows) << name;
  }
}

TEST(Fixtures, NoSecretComesOut) {
  const json all = expectations();
  for (const auto& [name, expected] : all.items()) {
    const Result<CollectedRuns> read = collectRuns(folder() + name);
    ASSERT_TRUE(read.ok());
    std::string everything = read.value().summary.reason;
    for (const polyrail::Run& run : read.value().runs) everything += runAsJson(run).dump();
    EXPECT_EQ(everything.find("hunter2"), std::string::npos) << name << ": " << everything;
  }
}

}  // namespace
}  // namespace polyrail
