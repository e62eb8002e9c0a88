// SPDX-License-Identifier: Apache-2.0
// `polyrail perf` as a user runs it: on emulated rails with the plugin that ships, on plugins with a planted defect,
// whose wrong bytes it must find, and with a driver library of ours as GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "test/contract/host/child.h"

namespace polyrail::contract {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

std::string built(const std::string& file) { return std::string(std::getenv("POLYRAIL_BUILD")) + "/" + file; }

struct Perf : testing::Test {
  Perf() {
    char name[] = "/tmp/perf-test-XXXXXX";
    folder = mkdtemp(name);
    for (char** e = environ; *e; e++)
      if (!std::string(*e).starts_with("NCCL_")) environment.push_back(*e);
    set("NCCL_IBVERBS_LIB=" + built("emu/libibverbs.so.1"));
    set("NCCL_SOCKET_IFNAME=lo");
    set("EMU_SESSION=perf-" + std::to_string(getpid()) + "-" + folder);
  }
  ~Perf() override { fs::remove_all(folder); }
  void set(const std::string& entry) { environment.push_back(entry); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder + "/" + name) << text;
    return folder + "/" + name;
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder + "/" + name).rdbuf();
    return text.str();
  }
  // As the reference, but for the defect in its name.
  std::string planted(const std::string& defect) const {
    fs::copy_file(built("test/plugins/planted_net.so"), folder + "/" + defect + ".so");
    return folder + "/" + defect + ".so";
  }
  static std::string ours() { return " --plugin " + built("libnccl-net-polyrail.so"); }
  static std::string command() { return built("polyrail") + " perf "; }
  ChildResult shell(const std::string& line) const {
    return runProgram({{"/bin/sh", "-c", line}, environment, folder}, std::chrono::seconds(120));
  }
  // The machine may be busy; an end that waits in vain waits less.
  ChildResult local(const std::string& words, const std::string& patience = "60") const {
    return shell(command() + "--local --patience " + patience + " " + words);
  }
  // Only what went to standard output.
  json results(const std::string& words) const {
    const ChildResult ran = shell(command() + "--local --json --patience 60 " + words + " 2>errors");
    EXPECT_TRUE(ran.ok()) << ran.output << std::ifstream(folder + "/errors").rdbuf();
    return json::parse(ran.output, nullptr, false);
  }

  std::string folder;
  std::vector<std::string> environment;
};

TEST_F(Perf, MeasuresEverySizeRailAndDepth) {
  const json j = results(ours() + " --sizes 0,4097,1M --rails 1,#0+emu1 --in-flight 1,32 --messages 10 --pings 4");
  ASSERT_EQ(j["results"].size(), 12u);
  EXPECT_EQ(j["clean"], true);
  EXPECT_EQ(j["plugin"], "polyrail");
  for (const json& r : j["results"]) {
    EXPECT_EQ(r["bandwidth"]["messages"], 10) << r;
    EXPECT_EQ(r["rail_count"], r["rails"] == "1" ? 1 : 2) << r;
    EXPECT_GT(r["bandwidth"]["seconds"], 0) << r;
    EXPECT_EQ(r.contains("latency_us"), r["size"] <= 65536 && r["in_flight"] == 1) << r;
    // Both passes and the answers, all of them looked at.
    EXPECT_GE(r["verified"]["messages"], 10 + 2 * r["in_flight"].get<int>()) << r;
  }
}

TEST_F(Perf, ATimeInPlaceOfANumber) {
  const json j = results(ours() + " --sizes 64K --seconds 0.3 --bandwidth");
  EXPECT_GE(j["results"][0]["bandwidth"]["seconds"], 0.3);
  EXPECT_FALSE(j["results"][0].contains("latency_us"));
}

// Both have loaded the plugin, so the signal is expected; whatever it meets there is one measurement.
TEST_F(Perf, ASignalEndsTheMeasurementUnderWayAndTheRest) {
  const ChildResult ran = shell("exec 2>log; " + command() + "--local --log --json --patience 60" + ours() +
                                " --sizes 8,64K --seconds 1000 --bandwidth >result & run=$!; "
                                "until [ $(grep -c rails: log) = 2 ]; do sleep 0.05; done; sleep 0.2; "
                                "kill $run; wait $run; echo $? >status; cat result");
  EXPECT_EQ(read("status"), "0\n") << read("log");
  const json j = json::parse(ran.output, nullptr, false);
  ASSERT_EQ(j["results"].size(), 1u) << ran.output;
  EXPECT_GE(j["results"][0]["bandwidth"]["messages"], 1);
  EXPECT_EQ(j["clean"], true);
}

TEST_F(Perf, TwoProcessesOnTwoHosts) {
  const ChildResult ran =
      shell("EMU_HOST=b " + command() + "--port 0 2>door" + ours() + " & server=$!; " +
            "while ! port=$(sed -n 's/.*waiting on port \\([0-9]*\\);.*/\\1/p' door) || [ -z \"$port\" ]; do sleep "
            "0.05; done; " +
            "EMU_HOST=a " + command() + "127.0.0.1 --port $port --sizes 8,1M --messages 20 --pings 10" + ours() +
            "; client=$?; wait $server; echo server $? client $client");
  EXPECT_THAT(ran.output, HasSubstr("server 0 client 0")) << std::ifstream(folder + "/door").rdbuf();
  EXPECT_THAT(ran.output, HasSubstr("emu0+emu1"));
}

// Whoever scans ports, and ends of other versions, do not end the waiting.
TEST_F(Perf, StrangersAreTurnedAwayAndTheClientIsServed) {
  const ChildResult ran =
      shell("EMU_HOST=b " + command() + "--port 0 2>door" + ours() + " & server=$!; " +
            "while ! port=$(sed -n 's/.*waiting on port \\([0-9]*\\);.*/\\1/p' door) || [ -z \"$port\" ]; do sleep "
            "0.05; done; for hello in 'GET / HTTP/1.1' '{\"polyrail_perf\": 99}' '{\"polyrail_perf\": []}'; do " +
            "bash -c \"exec 3<>/dev/tcp/127.0.0.1/$port; echo '$hello' >&3; head -1 <&3\"; done; " + "EMU_HOST=a " +
            command() + "127.0.0.1 --port $port --sizes 8 --messages 20 --bandwidth" + ours() +
            "; client=$?; wait $server; echo server $? client $client; cat door");
  EXPECT_THAT(ran.output, HasSubstr("server 0 client 0"));
  EXPECT_THAT(ran.output, HasSubstr("turned away: the other end is no polyrail perf"));
  EXPECT_THAT(ran.output, HasSubstr("of another version: it speaks 99, this end 1"));
  EXPECT_THAT(ran.output, HasSubstr("{\"error\":\"polyrail perf of another version"));
  EXPECT_THAT(ran.output, HasSubstr("not what a polyrail perf of this version sends"));
}

TEST_F(Perf, WrongBytesAreFoundInEitherPass) {
  for (const char* words : {"", " --verify-every", " --latency"}) {
    fs::remove(folder + "/lost-byte.so");
    const ChildResult ran =
        local("--plugin " + planted("lost-byte") + " --sizes 4K --messages 50 --pings 50" + words);
    EXPECT_EQ(ran.status, 1) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr(" is wrong from byte ")) << words;
    EXPECT_THAT(ran.output, HasSubstr(" wrong\n")) << words;
  }
}

TEST_F(Perf, WrongSizesAndLostMessagesAreFound) {
  const ChildResult size = local("--plugin " + planted("wrong-size") + " --sizes 4K --messages 50 --bandwidth", "1");
  EXPECT_EQ(size.status, 4) << size.output;  // the marks have wrong sizes, too: there is no end
  EXPECT_THAT(size.output, HasSubstr("; then nothing moved for 1000 ms"));
  const ChildResult lost =
      local("--plugin " + planted("lost-message") + " --sizes 4K --messages 50 --bandwidth", "1");
  EXPECT_NE(lost.status, 0) << lost.output;
  EXPECT_FALSE(lost.timedOut);
}

TEST_F(Perf, APluginWithoutDefectIsClean) {
  const ChildResult ran =
      local("--plugin " + planted("none") + " --sizes 0,8,64K --messages 50 --pings 20 --rails 1");
  EXPECT_EQ(ran.status, 0) << ran.output;
}

TEST_F(Perf, WhatIsMissingIsSaid) {
  EXPECT_THAT(local("--plugin ./none.so").output, HasSubstr("name the plugin by --plugin"));
  EXPECT_THAT(local("--plugin " + write("empty.so", "")).output, HasSubstr("too short"));
  EXPECT_THAT(local("--rails 3" + ours()).output, HasSubstr("3 rails are asked for, there are 2: emu0, emu1"));
  EXPECT_THAT(local("--rails emu0+emu7" + ours()).output, HasSubstr("no device 'emu7' here"));
  EXPECT_THAT(local("--cuda --sizes 8" + ours()).output, HasSubstr("NVIDIA's driver library"));
  EXPECT_EQ(local("--sizes 4G").status, 2);
  EXPECT_EQ(shell(command() + "127.0.0.1 --local").status, 2);
  set("NCCL_IB_HCA=none0");
  const ChildResult none = local(ours());
  EXPECT_EQ(none.status, 4);
  EXPECT_THAT(none.output, HasSubstr("NCCL_IB_HCA"));
}

TEST_F(Perf, WhatHasNoEffectIsRefused) {
  EXPECT_THAT(shell(command() + "--sizes 8").output, HasSubstr("--sizes is for the end that is given a HOST"));
  for (const char* words : {"--sizes 8", "--json", "--cuda", "127.0.0.1 --peer-hca a", "127.0.0.1 --port 0"})
    EXPECT_EQ(shell(command() + words).status, 2) << words;
}

TEST_F(Perf, AFailureIsJsonToo) {
  const auto failed = [&](const std::string& words) {
    return json::parse(shell(command() + "--json " + words + " 2>/dev/null").output, nullptr, false);
  };
  EXPECT_THAT(failed("--local --plugin ./none.so")["error"], HasSubstr("--plugin"));
  EXPECT_THAT(failed("no.such.host.invalid")["error"], HasSubstr("no.such.host.invalid"));
  // What was measured before is not lost.
  const std::string dead = write(
      "dead.json", R"({"faults": [{"after_bytes": "1MB", "watch": "a/emu0", "do": "black_hole", "target": "a"}]})");
  const json half =
      failed("--local --patience 2 --messages 50 --bandwidth --rails 1 --sizes 8,64K --fault " + dead + ours());
  EXPECT_THAT(half["error"], HasSubstr("nothing moved"));
  ASSERT_EQ(half["results"].size(), 1u) << half;
  EXPECT_EQ(half["results"][0]["size"], 8);
}

TEST_F(Perf, GpuMemoryByDmaBuf) {
  fs::create_symlink(built("test/plugins/memory_cuda.so"), folder + "/libcuda.so.1");
  set("LD_LIBRARY_PATH=" + folder);
  const json j = results(ours() + " --cuda --sizes 0,8,1M --messages 10 --pings 4");
  EXPECT_EQ(j["clean"], true);
  for (const json& r : j["results"]) EXPECT_EQ(r["memory"], "DMA-BUF");
  EXPECT_THAT(local("--cuda --gpu 1" + ours()).output, HasSubstr("GPU 1: cuDeviceGet: invalid argument"));
  set("CUDA_DMABUF=0");
  EXPECT_THAT(local("--cuda --sizes 8" + ours()).output, HasSubstr("exports no DMA-BUF"));
}

TEST_F(Perf, FaultsArePlayed) {
  const std::string dead = write("dead.json", R"({"faults": [{"at": "300ms", "do": "black_hole", "target": "a"}]})");
  const ChildResult ran = local("--fault " + dead + " --sizes 64K --seconds 50 --bandwidth" + ours(), "15");
  EXPECT_EQ(ran.status, 4) << ran.output;
  EXPECT_FALSE(ran.timedOut);
  const std::string slow =
      write("slow.json", R"({"faults": [{"at": "0ms", "do": "slow", "target": "a/emu0", "amount": 1}]})");
  EXPECT_EQ(local("--fault " + slow + " --sizes 64K --seconds 0.2 --bandwidth --rails 1" + ours()).status, 0);
}

// A run without the faults that were asked for must not pass for one with them.
TEST_F(Perf, FaultsThatNobodyPlaysAreRefused) {
  const std::string script = write("faults.json", R"({"faults": []})");
  EXPECT_THAT(local("--fault " + script + " --plugin " + planted("none")).output, HasSubstr("emulated verbs only"));
  EXPECT_THAT(local("--fault missing.json" + ours()).output, HasSubstr("missing.json: No such file"));
}

}  // namespace
}  // namespace polyrail::contract
