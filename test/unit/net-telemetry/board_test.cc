// SPDX-License-Identifier: Apache-2.0
// What a process shows, as another process reads it: rails as the sum of their comms, records that come and go, and
// files of the dead.
#include "net/telemetry/board.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "net/telemetry/reader.h"
#include "test/unit/net-telemetry/sample_file.h"
#include "test/unit/temp_dir.h"

namespace polyrail::net {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

struct Showing {
  Board::Place place;
  CommView view;
};

struct BoardTest : testing::Test {
  test::TempDir dir;
  std::unique_ptr<Board> board;

  std::string folder() const { return dir.file(""); }
  TelemetryHeader header() const {
    TelemetryHeader h = SampleFile().header;
    h.process = static_cast<uint32_t>(getpid());
    h.railsUsed = h.commsUsed = h.pathsUsed = 0;
    return h;
  }
  void SetUp() override {
    Result<std::unique_ptr<MappedFile>> file = MappedFile::create(folder(), Readers::kUser, header());
    ASSERT_TRUE(file.ok()) << file.message();
    board = std::make_unique<Board>(std::move(file).value(), header(), SampleFile().rails);
  }
  Snapshot read() const {
    const Result<TelemetryReader> reader = TelemetryReader::open(board->fileName());
    EXPECT_TRUE(reader.ok()) << reader.message();
    Result<Snapshot> s = reader.value().read();
    EXPECT_TRUE(s.ok()) << s.message();
    return std::move(s).value();
  }
  static void fill(Showing* place, CommKind kind, std::vector<uint64_t> bytes) {
    place->view.comm.state = CommState::kOpen;
    place->view.comm.kind = kind;
    place->view.paths.resize(bytes.size());
    for (uint32_t p = 0; p < bytes.size(); p++) {
      PathRecord& path = place->view.paths[p];
      path.index = path.rail = p;
      path.phase = PathPhase::kLive;
      path.bytes = bytes[p];
      path.rate = 1000;
    }
  }
};

TEST_F(BoardTest, RailsAreTheSumOfTheirComms) {
  Showing one, two;
  board->open(&one.place, {"node2", "10.0.0.2:77", 12, 0}, {"emu0:1", "emu1:1"}, kSecond);
  board->open(&two.place, {"node3", "10.0.0.3:77", 13, 1}, {"emu1:1"}, kSecond);
  fill(&one, CommKind::kSend, {1000, 2000});
  board->show(&one.place, one.view);
  fill(&two, CommKind::kReceive, {500});
  board->show(&two.place, two.view);
  one.view.paths[1].bytes = 2500;
  one.view.paths[1].failures = 1;
  putText(one.view.paths[1].lastCause, "it broke");
  one.view.paths[1].phase = PathPhase::kFenced;
  board->show(&one.place, one.view);
  board->turn(2 * kSecond);
  const Snapshot s = read();
  ASSERT_EQ(s.rails.size(), 2u);
  EXPECT_EQ(s.rails[0].bytesSent - 100, 1000u);  // the sample begins with 100 and 101
  EXPECT_EQ(s.rails[1].bytesSent - 101, 2500u);
  EXPECT_EQ(s.rails[1].bytesReceived, 500u);
  EXPECT_EQ(s.rails[1].failures, 1u);
  EXPECT_EQ(textIn(s.rails[1].lastCause), "it broke");
  EXPECT_EQ(s.rails[1].paths, 2u);
  EXPECT_EQ(s.rails[1].livePaths, 1u);
  ASSERT_EQ(s.comms.size(), 2u);
  EXPECT_EQ(textIn(s.comms[0].peerHost), "node2");
  ASSERT_EQ(s.paths.size(), 3u);
  EXPECT_EQ(s.paths[2].rail, 1u);  // in the file's table
  EXPECT_EQ(s.paths[2].comm, s.comms[1].id);
  EXPECT_EQ(s.torn, 0u);
}

TEST_F(BoardTest, ARateIsOfTheTimeBetweenTwoTurns) {
  Showing one;
  board->open(&one.place, {}, {"emu0:1"}, kSecond);
  fill(&one, CommKind::kSend, {0});
  board->show(&one.place, one.view);
  board->turn(10 * kSecond);
  one.view.paths[0].bytes = 3000;
  board->show(&one.place, one.view);
  EXPECT_TRUE(board->turn(10 * kSecond + 1).empty());
  const std::vector<RailLoad> loads = board->turn(12 * kSecond);
  ASSERT_EQ(loads.size(), 2u);
  EXPECT_EQ(loads[0].bytes, 3000u);
  EXPECT_DOUBLE_EQ(loads[0].rate, 1000);
  EXPECT_EQ(loads[1].bytes, 0u);
  EXPECT_EQ(read().rails[0].sentPerSecond, 1500u);
  EXPECT_EQ(read().rails[0].serviceRate, 1000u);
}

TEST_F(BoardTest, AClosedCommLeavesItsBytesAndMakesRoom) {
  for (int i = 0; i < 3; i++) {
    Showing one;
    board->open(&one.place, {}, {"emu0:1"}, kSecond);
    fill(&one, CommKind::kSend, {1000});
    board->show(&one.place, one.view);
    EXPECT_EQ(read().comms.size(), 1u);
    board->close(&one.place, 2 * kSecond);
  }
  const Snapshot s = read();
  EXPECT_TRUE(s.comms.empty());
  EXPECT_TRUE(s.paths.empty());
  EXPECT_EQ(s.rails[0].bytesSent, 3100u);
  EXPECT_EQ(s.header.commsUsed, 1u);
  EXPECT_EQ(s.header.commsOpened, 3u);
}

TEST_F(BoardTest, WhatDoesNotFitIsCountedAndItsRailsAreRight) {
  std::vector<Showing> places(kCommRecords + 2);
  for (Showing& place : places) {
    board->open(&place.place, {}, {"emu0:1"}, kSecond);
    fill(&place, CommKind::kSend, {1});
    board->show(&place.place, place.view);
  }
  board->turn(2 * kSecond);
  const Snapshot s = read();
  EXPECT_EQ(s.comms.size(), kCommRecords);
  EXPECT_EQ(s.header.commsWithoutRecord, 2u);
  EXPECT_EQ(s.header.pathsWithoutRecord, 2u);
  EXPECT_EQ(s.rails[0].bytesSent, 100u + kCommRecords + 2);
}

TEST_F(BoardTest, TheRankComesFromTheTagOfASend) {
  Showing one;
  board->open(&one.place, {}, {"emu0:1"}, kSecond);
  fill(&one, CommKind::kSend, {1});
  one.view.comm.hasTag = 1;
  one.view.comm.tag = 17;
  board->show(&one.place, one.view);
  EXPECT_EQ(board->header().rank, 17);
}

TEST_F(BoardTest, TheFileIsTheUsersAloneAndGoesWithTheBoard) {
  struct stat about {};
  const std::string name = board->fileName();
  ASSERT_EQ(stat(name.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
  EXPECT_LT(about.st_blocks * 512, 64 << 10);  // sparse
  board.reset();
  EXPECT_NE(stat(name.c_str(), &about), 0);
  const auto open = MappedFile::create(folder(), Readers::kEveryone, header());
  ASSERT_TRUE(open.ok());
  ASSERT_EQ(stat(open.value()->name().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0644u);
}

TEST_F(BoardTest, TwoCopiesInOneProcessHaveAFileEach) {
  const auto other = MappedFile::create(folder(), Readers::kUser, header());
  ASSERT_TRUE(other.ok());
  EXPECT_NE(other.value()->name(), board->fileName());
  EXPECT_EQ(telemetryFiles(folder()).size(), 2u);
}

TEST_F(BoardTest, AFolderThatIsNotThereIsAnError) {
  const auto file = MappedFile::create(dir.file("none"), Readers::kUser, header());
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.message(), testing::HasSubstr("No such file"));
}

// A child that makes a file, says so, and waits to be killed.
struct Child {
  explicit Child(const std::string& folder, const TelemetryHeader& header) {
    int ready[2];
    if (pipe(ready) != 0) return;
    pid = fork();
    if (pid == 0) {
      const auto file = MappedFile::create(folder, Readers::kUser, header);
      (void)!write(ready[1], "x", file.ok());
      pause();
      _exit(0);
    }
    close(ready[1]);
    char byte;
    made = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
  }
  void end() {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  pid_t pid = -1;
  bool made = false;
};

TEST_F(BoardTest, AProcessThatDiesLeavesAFileThatTheNextOneRemoves) {
  board.reset();
  Child child(folder(), header());
  ASSERT_TRUE(child.made);
  const std::vector<std::string> files = telemetryFiles(folder());
  ASSERT_EQ(files.size(), 1u);
  const auto alive = [&] { return TelemetryReader::open(files[0]).value().read().value().alive; };
  EXPECT_TRUE(alive());
  removeDeadFiles(folder());
  EXPECT_EQ(telemetryFiles(folder()).size(), 1u);
  child.end();
  EXPECT_FALSE(alive());
  removeDeadFiles(folder());
  EXPECT_TRUE(telemetryFiles(folder()).empty());
}

TEST_F(BoardTest, AForkedChildTouchesNothing) {
  const pid_t child = fork();
  if (child == 0) {
    const bool ours = board->isOurs();
    board.reset();
    _exit(ours);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read().rails.size(), 2u);
}

TEST(BoardWithoutFile, CountsAllTheSame) {
  Board board(nullptr, SampleFile().header, SampleFile().rails);
  Showing one;
  board.open(&one.place, {}, {"emu0:1"}, kSecond);
  BoardTest::fill(&one, CommKind::kSend, {1000});
  board.show(&one.place, one.view);
  board.close(&one.place, kSecond);
  EXPECT_EQ(board.rails()[0].bytesSent, 1100u);
  EXPECT_EQ(board.fileName(), "");
}

}  // namespace
}  // namespace polyrail::net
