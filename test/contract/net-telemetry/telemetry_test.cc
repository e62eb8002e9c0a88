// SPDX-License-Identifier: Apache-2.0
// What the plugin that ships shows of known traffic on emulated rails in real time: the file while the job runs, the
// JSON it leaves, and the rail that is named as slow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "net/telemetry/names.h"
#include "net/telemetry/reader.h"
#include "test/contract/host/child.h"
#include "test/contract/host/pair_traffic.h"
#include "test/unit/temp_dir.h"

namespace polyrail::contract {
namespace {

using namespace std::chrono_literals;
using net::PathPhase;
using net::RailState;
using net::Snapshot;
using testing::HasSubstr;

constexpr size_t kSize = 4 << 20;

std::string built(const char* file) { return std::string(std::getenv("POLYRAIL_BUILD")) + "/" + file; }

struct TelemetryOfThePlugin : testing::Test {
  test::TempDir dir;
  std::unique_ptr<NetHost> host;
  Faults faults;

  // In a process of its own, whose rails are those that it says.
  static void alone(const std::function<void()>& body) {
    const ChildResult child = runInFork([&] { return body(), testing::Test::HasFailure() ? "failed" : ""; }, 120s);
    EXPECT_TRUE(child.ok() && child.output.empty()) << child.status << child.output;
  }
  // Two rails that announce 2 Gb/s, the second with the rate that is given.
  void start(const std::string& second, const std::string& script) {
    const std::string fabric = dir.write(
        "fabric.json", R"({"defaults": {"rate": "2Gb/s", "speed": "2Gb/s"}, "hosts": [{"name": "a", "nics": [
          {"name": "emu0"}, {"name": "emu1", "rate": ")" +
                           second + R"("}]}]})");
    setenv("EMU_FABRIC", fabric.c_str(), 1);
    script.empty() ? unsetenv("EMU_FAULTS") : setenv("EMU_FAULTS", dir.write("faults.json", script).c_str(), 1);
    setenv("EMU_SESSION", dir.file("").c_str(), 1);
    setenv("NCCL_IBVERBS_LIB", built("emu/libibverbs.so.1").c_str(), 1);
    setenv("NCCL_SOCKET_IFNAME", "lo", 1);
    setenv("POLYRAIL_TELEMETRY_DIR", dir.file("").c_str(), 1);
    setenv("POLYRAIL_TELEMETRY_JSON", dir.file("%h.json").c_str(), 1);
    unsetenv("POLYRAIL_TELEMETRY");
    auto loaded = NetHost::load(built("libnccl-net-polyrail.so"), 12, {0, 1});
    ASSERT_TRUE(loaded.ok()) << loaded.message();
    host = std::move(loaded).value();
  }
  void* join(uint64_t id) {
    const Result<void*> context = host->join(id);
    EXPECT_TRUE(context.ok()) << context.message() << host->log().text();
    return context.ok() ? context.value() : nullptr;
  }
  Snapshot read() {
    const std::vector<std::string> files = net::telemetryFiles(dir.file(""));
    EXPECT_EQ(files.size(), 1u);
    if (files.empty()) return {};
    const auto reader = net::TelemetryReader::open(files[0]);
    EXPECT_TRUE(reader.ok()) << reader.message();
    Result<Snapshot> snapshot = reader.value().read();
    EXPECT_TRUE(snapshot.ok()) << snapshot.message();
    return std::move(snapshot).value();
  }
  // Control shows a few times a second.
  template <typename Condition>
  bool becomes(Condition condition, std::chrono::seconds patience = 10s) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!condition(read())) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(20ms);
    }
    return true;
  }
  size_t linesWith(const std::string& words) const {
    size_t n = 0;
    for (const LogLine& line : host->log().lines()) n += line.text.find(words) != std::string::npos;
    return n;
  }
};

uint64_t sent(const Snapshot& s) { return s.rails[0].bytesSent + s.rails[1].bytesSent; }
uint64_t received(const Snapshot& s) { return s.rails[0].bytesReceived + s.rails[1].bytesReceived; }

TEST_F(TelemetryOfThePlugin, ShowsTheBytesOfTwoCommunicatorsAndLeavesThemAsJson) {
  alone([&] {
    start("2Gb/s", "");
    void* contexts[] = {join(1), join(2)};
    constexpr uint64_t all = 2 * 8 * kSize;
    {
      NetPair one(*host, contexts[0], 0, 10s, faults), two(*host, contexts[1], 0, 10s, faults);
      ASSERT_TRUE(one.up() && two.up()) << faults.text();
      PairTraffic first(one, Place::kHost, kSize), second(two, Place::kHost, kSize);
      for (int i = 0; i < 8; i++)
        ASSERT_TRUE(first.exchange(kSize, 5, 10s) && second.exchange(kSize, 5, 10s)) << faults.text();
      EXPECT_TRUE(becomes([&](const Snapshot& s) { return sent(s) == all && received(s) == all; }));
      const Snapshot s = read();
      EXPECT_EQ(s.comms.size(), 4u);
      EXPECT_EQ(s.paths.size(), 8u);
      EXPECT_EQ(s.header.rank, 5);
      EXPECT_EQ(s.header.process, static_cast<uint32_t>(getpid()));
      EXPECT_GT(s.rails[0].bytesSent, kSize);
      EXPECT_GT(s.rails[1].bytesSent, kSize);
      EXPECT_EQ(s.rails[0].livePaths, 4u);
      for (const net::CommRecord& c : s.comms) EXPECT_EQ(c.peerProcess, static_cast<uint32_t>(getpid()));
      first.deregister(), second.deregister();
    }
    EXPECT_TRUE(read().comms.empty());
    for (void* context : contexts) EXPECT_EQ(host->leave(context), nccl::Result::kSuccess);
    EXPECT_TRUE(net::telemetryFiles(dir.file("")).empty());
    char name[256];
    gethostname(name, sizeof name);
    const auto left = nlohmann::json::parse(dir.read(std::string(name) + ".json"));
    EXPECT_EQ(left["rails"][0]["bytes_sent"].get<uint64_t>() + left["rails"][1]["bytes_sent"].get<uint64_t>(), all);
    EXPECT_EQ(left["comms"], 4);
  });
}

TEST_F(TelemetryOfThePlugin, ShowsARailThatDied) {
  alone([&] {
    start("2Gb/s",
          R"({"faults": [{"after_bytes": "40MB", "watch": "a/emu0", "do": "port_down", "target": "a/emu1"}]})");
    void* context = join(1);
    {
      NetPair pair(*host, context, 0, 10s, faults);
      ASSERT_TRUE(pair.up()) << faults.text();
      PairTraffic traffic(pair, Place::kHost, kSize);
      for (int i = 0; i < 40; i++) ASSERT_TRUE(traffic.exchange(kSize, 5, 20s)) << faults.text();
      EXPECT_TRUE(becomes(
          [&](const Snapshot& s) { return s.rails[1].state == RailState::kDown && s.rails[1].livePaths == 0; }));
      const Snapshot s = read();
      EXPECT_EQ(s.rails[0].state, RailState::kUp);
      EXPECT_EQ(s.rails[0].livePaths, 2u);
      EXPECT_GE(s.rails[1].failures, 1u);
      EXPECT_EQ(s.rails[1].portDowns, 1u);
      EXPECT_NE(net::textIn(s.rails[1].lastCause), "");
      for (const net::PathRecord& p : s.paths)
        EXPECT_EQ(p.phase == PathPhase::kLive, p.rail == 0) << net::nameOf(p.phase);
      for (const net::CommRecord& c : s.comms) EXPECT_GE(c.events, 3u);
      traffic.deregister();
    }
    host->leave(context);
  });
}

// Messages until the words are in the log, or for so long.
size_t streamUntil(TelemetryOfThePlugin& t, const std::string& words, std::chrono::seconds most) {
  void* context = t.join(1);
  NetPair pair(*t.host, context, 0, 10s, t.faults);
  PairTraffic traffic(pair, Place::kHost, 2 * kSize);
  const auto end = std::chrono::steady_clock::now() + most;
  while (t.linesWith(words) == 0 && std::chrono::steady_clock::now() < end)
    if (!traffic.exchange(2 * kSize, 5, 20s)) ADD_FAILURE() << t.faults.text();
  traffic.deregister();
  pair.close();
  const size_t found = t.linesWith(words);
  t.host->leave(context);
  return found;
}

TEST_F(TelemetryOfThePlugin, NamesARailAtAQuarterOnce) {
  alone([&] {
    start("500Mb/s", "");
    EXPECT_EQ(streamUntil(*this, "is slow", 60s), 1u) << host->log().text();
    EXPECT_EQ(linesWith("emu1:1 is slow: "), 1u) << host->log().text();
    EXPECT_EQ(linesWith("what its siblings do (emu0:1 "), 1u) << host->log().text();
  });
}

TEST_F(TelemetryOfThePlugin, NamesNoneOfEqualRails) {
  alone([&] {
    start("2Gb/s", "");
    EXPECT_EQ(streamUntil(*this, "is slow", 6s), 0u) << host->log().text();
  });
}

TEST_F(TelemetryOfThePlugin, WhatCannotBeShownStopsNoJob) {
  alone([&] {
    start("2Gb/s", "");
    setenv("POLYRAIL_TELEMETRY_DIR", dir.file("none").c_str(), 1);
    void* context = join(1);
    EXPECT_EQ(linesWith("no telemetry file: cannot make a file in"), 1u) << host->log().text();
    for (const LogLine& line : host->log().lines())
      EXPECT_FALSE(line.level == nccl::LogLevel::kWarn && line.text.find("telemetry") != std::string::npos)
          << line.text;
    host->leave(context);
  });
}

TEST_F(TelemetryOfThePlugin, OffIsOff) {
  alone([&] {
    start("2Gb/s", "");
    setenv("POLYRAIL_TELEMETRY", "off", 1);
    void* context = join(1);
    EXPECT_TRUE(net::telemetryFiles(dir.file("")).empty());
    host->leave(context);
  });
}

}  // namespace
}  // namespace polyrail::contract
