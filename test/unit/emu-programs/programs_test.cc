// SPDX-License-Identifier: Apache-2.0
// Programs that no one here wrote run unmodified on the emulator, as two processes. They prove its fidelity; where a
// package is not installed, its tests are skipped and say so.
#include <gtest/gtest.h>

#include <regex>

#include "test/unit/emu-programs/process.h"
#include "test/unit/emu-programs/sanitized.h"

namespace polyrail::emu {
namespace {

constexpr double kPatience = 120;  // seconds, on a machine that may be busy

#define NEEDS(program, package)                                                            \
  if (kSanitized) GTEST_SKIP() << "a sanitized library cannot be loaded into " << program; \
  if (findProgram(program).empty()) GTEST_SKIP() << program << " is not installed (package " << package << ")"

struct Outcome {
  int server, client;
  std::string serverText, clientText;
};

Outcome runPair(const Process::Words& command, const Process::Words& more = {}) {
  const int port = freePort();
  Process::Words server = command, client = command;
  for (Process::Words* side : {&server, &client}) side->insert(side->end(), {"-p", std::to_string(port)});
  client.push_back("127.0.0.1");
  Process::Words a = emulated("a"), b = emulated("b");
  a.insert(a.end(), more.begin(), more.end());
  b.insert(b.end(), more.begin(), more.end());
  Process first(server, b);
  EXPECT_TRUE(waitForListener(port, kPatience)) << first.output();
  Process second(client, a);
  const int clientCode = second.wait(kPatience);
  const int serverCode = first.wait(clientCode == 0 ? kPatience : 1);
  return {serverCode, clientCode, first.output(), second.output()};
}

void expectGood(const Outcome& o, const std::string& wanted) {
  EXPECT_EQ(o.server, 0) << o.serverText;
  EXPECT_EQ(o.client, 0) << o.clientText;
  EXPECT_TRUE(std::regex_search(o.clientText, std::regex(wanted))) << o.clientText;
}

TEST(Ibverbs, DevinfoShowsBothRails) {
  NEEDS("ibv_devinfo", "ibverbs-utils");
  Process p({"ibv_devinfo", "-v"}, emulated("a"));
  EXPECT_EQ(p.wait(kPatience), 0);
  const std::string text = p.output();
  for (const char* line :
       {"hca_id:\\s+emu0", "hca_id:\\s+emu1", "state:\\s+PORT_ACTIVE", "link_layer:\\s+Ethernet",
        "board_id:\\s+POLYRAIL_EMU", "fw_ver:\\s+28.39.1002", "GID\\[\\s*3\\]:\\s+::ffff:10.77.0.1"})
    EXPECT_TRUE(std::regex_search(text, std::regex(line))) << line << "\n" << text;
}

TEST(Ibverbs, RcPingpong) {
  NEEDS("ibv_rc_pingpong", "ibverbs-utils");
  expectGood(runPair({"ibv_rc_pingpong", "-d", "emu0", "-g", "3", "-n", "200"}), "200 iters in");
}

TEST(Ibverbs, RcPingpongByEvents) {
  NEEDS("ibv_rc_pingpong", "ibverbs-utils");
  expectGood(runPair({"ibv_rc_pingpong", "-d", "emu1", "-g", "3", "-n", "100", "-e", "-c"}), "100 iters in");
}

TEST(Ibverbs, RcPingpongThroughCopies) {
  NEEDS("ibv_rc_pingpong", "ibverbs-utils");
  const Outcome o =
      runPair({"ibv_rc_pingpong", "-d", "emu0", "-g", "3", "-n", "100", "-s", "100000", "-c"}, {"EMU_COPY=1"});
  expectGood(o, "100 iters in");
  EXPECT_NE(o.clientText.find("its data is copied twice"), std::string::npos) << o.clientText;
}

TEST(Ibverbs, RcPingpongWhereTheKernelRefuses) {
  NEEDS("ibv_rc_pingpong", "ibverbs-utils");
  const Outcome o =
      runPair({"ibv_rc_pingpong", "-d", "emu0", "-g", "3", "-n", "100", "-s", "100000", "-c"}, {kRefuseProcessVm});
  expectGood(o, "100 iters in");
  const std::regex line("cannot read the memory of process \\d+ \\(the kernel refuses process_vm_readv\\)");
  for (const std::string& text : {o.clientText, o.serverText})
    EXPECT_EQ(std::distance(std::sregex_iterator(text.begin(), text.end(), line), {}), 1) << text;
}

TEST(Ibverbs, RcPingpongNewPosting) {
  NEEDS("ibv_rc_pingpong", "ibverbs-utils");
  expectGood(runPair({"ibv_rc_pingpong", "-d", "emu0", "-g", "3", "-n", "100", "-N"}), "100 iters in");
}

TEST(Ibverbs, SrqPingpong) {
  NEEDS("ibv_srq_pingpong", "ibverbs-utils");
  expectGood(runPair({"ibv_srq_pingpong", "-d", "emu0", "-g", "3", "-n", "100", "-q", "4"}), "100 iters in");
}

TEST(Perftest, WriteBandwidth) {
  NEEDS("ib_write_bw", "perftest");
  expectGood(runPair({"ib_write_bw", "-d", "emu0", "-F", "-n", "100", "-s", "65536"}), "65536 +100 ");
}

TEST(Perftest, WriteBandwidthBothWays) {
  NEEDS("ib_write_bw", "perftest");
  expectGood(runPair({"ib_write_bw", "-d", "emu0", "-F", "-n", "100", "-s", "65536", "-b", "-q", "2"}),
             "65536 +200 ");
}

TEST(Perftest, SendLatency) {
  NEEDS("ib_send_lat", "perftest");
  expectGood(runPair({"ib_send_lat", "-d", "emu0", "-F", "-n", "50"}), "2 +50 ");
}

TEST(Perftest, ReadBandwidth) {
  NEEDS("ib_read_bw", "perftest");
  expectGood(runPair({"ib_read_bw", "-d", "emu0", "-F", "-n", "100", "-s", "65536"}), "65536 +100 ");
}

}  // namespace
}  // namespace polyrail::emu
