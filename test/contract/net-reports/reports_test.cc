// SPDX-License-Identifier: Apache-2.0
// What an operator reads in NCCL's log of a job that lost a connection: the plugin that ships, two processes on two
// emulated hosts in real time, two fused rails, traffic both ways. Once the peer is killed, once all links of a host
// go down. What each end logs is read whole and in order: a peer that died is told from links that did.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "test/contract/host/net_rank.h"
#include "test/contract/host/net_ranks.h"
#include "test/unit/temp_dir.h"

namespace polyrail::contract {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

std::string built(const char* file) { return std::string(std::getenv("POLYRAIL_BUILD")) + "/" + file; }

TrafficPlan bothWays() {
  TrafficPlan plan;
  addLinks(plan, 0, 1, 1, 1'000'000, 64 << 10);
  addLinks(plan, 1, 0, 1, 1'000'000, 64 << 10);
  return plan;
}

// The run is over for both ranks when one has an error: the other goes on here until it has its own.
void endAll(NetRank& rank, std::chrono::steady_clock::time_point until) {
  bool left = true;
  while (left && std::chrono::steady_clock::now() < until) {
    left = false;
    for (Connection& c : rank.connections()) {
      if (c.incoming ? c.recv->failed() : c.send->failed()) continue;
      left = true;
      c.incoming ? c.recv->progress() : c.send->progress();
    }
    std::this_thread::sleep_for(1ms);
  }
}

struct ReportsOfThePlugin : testing::Test {
  test::TempDir dir;
  const TrafficPlan plan = bothWays();
  Meeting::Owner meeting = Meeting::arrange(2, 20s);
  pid_t ranks[2] = {};

  // Rank 0 is on host a, rank 1 on host b. Faults by the emulator's clock, or none.
  void start(const std::string& faults) {
    setenv("NCCL_IBVERBS_LIB", built("emu/libibverbs.so.1").c_str(), 1);
    setenv("NCCL_SOCKET_IFNAME", "lo", 1);
    setenv("EMU_SESSION", dir.file("").c_str(), 1);
    setenv("POLYRAIL_NO_PATH_TIMEOUT", "1000", 1);
    faults.empty() ? unsetenv("EMU_FAULTS") : setenv("EMU_FAULTS", dir.write("faults.json", faults).c_str(), 1);
    for (int number = 0; number < 2; number++)
      if ((ranks[number] = fork()) == 0) run(number);
  }
  // Moves data until it cannot, closes, and leaves what the plugin has logged in a file.
  [[noreturn]] void run(int number) {
    const CaseContext context{.plugin = built("libnccl-net-polyrail.so"),
                              .rankEnvironment = {{"EMU_HOST", {"a", "b"}}}};
    enterRank(context, number);
    auto host = NetHost::load(context.plugin, context.abi, {0, 1});
    if (!host.ok()) _exit(1);
    NetRank rank(*host.value(), *meeting, plan, number);
    if (!rank.join() || !rank.connectAll()) _exit(2);
    rank.prepareBuffers();
    const auto end = std::chrono::steady_clock::now() + 20s;
    if (meeting->waitForAll()) rank.moveData([&] { return std::chrono::steady_clock::now() > end; });
    endAll(rank, end);
    rank.closeAll();
    rank.leave();
    dir.write("log" + std::to_string(number), host.value()->log().text());
    _exit(0);
  }
  std::string logOf(int number) {
    int status = 0;
    waitpid(ranks[number], &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status << meeting->faults.text();
    const std::string log = dir.read("log" + std::to_string(number));
    EXPECT_THAT(log, HasSubstr("report ")) << meeting->faults.text();
    return log;
  }
  std::string process(int number) const { return "process " + std::to_string(ranks[number]); }
};

// The lines of the first report, without their prefix; what `log` says of others does not count.
std::string reportIn(const std::string& log) {
  const size_t begin = log.find("report ");
  if (begin == std::string::npos) return "";
  const std::string prefix = log.substr(begin, log.find(": ", begin) + 2 - begin);
  std::string report;
  for (size_t at = begin; at != std::string::npos; at = log.find(prefix, at + 1)) {
    const size_t from = at + prefix.size();
    report += log.substr(from, log.find('\n', from) + 1 - from);
  }
  return report;
}

// That the parts stand in the text, one after the other.
void expectInOrder(const std::string& text, const std::vector<std::string>& parts) {
  size_t at = 0;
  for (const std::string& part : parts) {
    const size_t found = text.find(part, at);
    ASSERT_NE(found, std::string::npos) << "\"" << part << "\" is missing or too early in\n" << text;
    at = found + part.size();
  }
}

TEST_F(ReportsOfThePlugin, SayThatThePeerDiedWhenItIsKilled) {
  start("");
  while (!meeting->haveMet() && !meeting->over()) std::this_thread::sleep_for(5ms);
  std::this_thread::sleep_for(200ms);
  kill(ranks[0], SIGKILL);
  waitpid(ranks[0], nullptr, 0);
  const std::string log = logOf(1), report = reportIn(log);
  expectInOrder(report, {"connection lost: ", "is gone: its process or its host died", "here: ", process(1),
                         "; peer: ", process(0), "path emu0:1 (port 1, GID ", "path emu1:1 (port 1, GID ",
                         "last events:", "likely: 1. ", process(0), " died: killed", "[peer-died]",
                         "next: the peer's own log"});
  for (const char* cause : {"[link-down]", "[peer-left]"}) EXPECT_THAT(report, Not(HasSubstr(cause))) << log;
}

TEST_F(ReportsOfThePlugin, SayAtBothEndsThatTheLinksDied) {
  start(R"({"faults": [{"after_bytes": "20MB", "watch": "a/emu0", "do": "port_down", "target": "a"}]})");
  const std::string here = reportIn(logOf(0)), there = reportIn(logOf(1));
  expectInOrder(here, {"connection lost: ", "here: ", process(0), "; peer: ", process(1), "path emu0:1 (port 1, GID ",
                       "the port went down", "path emu1:1 (port 1, GID ", "the port went down", "last events:",
                       "likely: 1. the link of emu", "went down at this end", "[link-down]", "next: ibstat"});
  expectInOrder(there,
                {"connection lost: ", "here: ", process(1), "; peer: ", process(0), "path emu0:1 (port 1, GID ",
                 "path emu1:1 (port 1, GID ", "last events:", "likely: 1. ", "[peer-says]"});
  for (const std::string& report : {here, there})
    for (const char* cause : {"[peer-died]", "[peer-left]"}) EXPECT_THAT(report, Not(HasSubstr(cause)));
}

}  // namespace
}  // namespace polyrail::contract
