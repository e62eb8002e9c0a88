// SPDX-License-Identifier: Apache-2.0
// A process that is killed leaves nothing behind, and its peer sees what hardware would show: retries that run out.
#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <sstream>

#include "test/unit/emu-programs/process.h"
#include "test/unit/emu-programs/sanitized.h"

namespace polyrail::emu {
namespace {

// Inode numbers of the sockets that a process holds.
std::set<std::string> socketsOf(pid_t pid) {
  std::set<std::string> inodes;
  const std::string folder = "/proc/" + std::to_string(pid) + "/fd";
  DIR* dir = opendir(folder.c_str());
  while (const dirent* entry = dir ? readdir(dir) : nullptr) {
    char target[64] = {};
    if (readlink((folder + "/" + entry->d_name).c_str(), target, sizeof target - 1) < 0) continue;
    const std::string text = target;
    if (text.starts_with("socket:[")) inodes.insert(text.substr(8, text.size() - 9));
  }
  if (dir) closedir(dir);
  return inodes;
}

// The emulator's rendezvous names among sockets; with no inodes given, all there are.
std::set<std::string> rendezvous(const std::set<std::string>* inodes) {
  std::set<std::string> names;
  std::ifstream in("/proc/net/unix");
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string number, references, protocol, flags, type, state, inode, path;
    fields >> number >> references >> protocol >> flags >> type >> state >> inode >> path;
    if (path.find("polyrail-emu-") != std::string::npos && (!inodes || inodes->contains(inode))) names.insert(path);
  }
  return names;
}

TEST(Crash, PeerOfAKilledProcessRunsOutOfRetries) {
  if (kSanitized) GTEST_SKIP() << "a sanitized library cannot be loaded into ib_write_bw";
  if (findProgram("ib_write_bw").empty()) GTEST_SKIP() << "ib_write_bw is not installed (package perftest)";
  const int port = freePort();
  const Process::Words command = {"ib_write_bw", "-d", "emu0", "-F", "-D", "60", "-p", std::to_string(port)};
  Process::Words client = command;
  client.push_back("127.0.0.1");
  Process server(command, emulated("b"));
  ASSERT_TRUE(waitForListener(port, 60)) << server.output();
  Process sender(client, emulated("a"));
  sleep(2);  // the transfer is under way
  const std::set<std::string> sockets = socketsOf(server.pid());
  const std::set<std::string> names = rendezvous(&sockets);
  EXPECT_EQ(names.size(), 1u);
  server.kill();
  EXPECT_NE(sender.wait(60), 0);
  EXPECT_NE(sender.output().find("Failed status 12"), std::string::npos) << sender.output();
  const std::set<std::string> left = rendezvous(nullptr);
  for (const std::string& name : names) EXPECT_FALSE(left.contains(name)) << name;
}

// The machine may keep a process waiting for longer than all its peer's retries take: nothing is lost by that.
TEST(Crash, PeerOfAStoppedProcessWaits) {
  if (kSanitized) GTEST_SKIP() << "a sanitized library cannot be loaded into ib_write_bw";
  if (findProgram("ib_write_bw").empty()) GTEST_SKIP() << "ib_write_bw is not installed (package perftest)";
  const int port = freePort();
  const Process::Words command = {"ib_write_bw", "-d", "emu0", "-F", "-D", "3", "-p", std::to_string(port)};
  Process::Words client = command;
  client.push_back("127.0.0.1");
  Process server(command, emulated("b"));
  ASSERT_TRUE(waitForListener(port, 60)) << server.output();
  Process sender(client, emulated("a"));
  sleep(1);  // the transfer is under way
  ::kill(server.pid(), SIGSTOP);
  usleep(1'500'000);  // 8 timeouts of 67 ms have passed
  ::kill(server.pid(), SIGCONT);
  EXPECT_EQ(sender.wait(60), 0) << sender.output();
  EXPECT_EQ(server.wait(60), 0) << server.output();
}

}  // namespace
}  // namespace polyrail::emu
