// SPDX-License-Identifier: Apache-2.0
// The reader's side of the mapped file: what is there comes out, what is damaged, foreign or cut short is one error.
#include "net/telemetry/reader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test/unit/net-telemetry/sample_file.h"
#include "test/unit/temp_dir.h"

namespace polyrail::net {
namespace {

using testing::HasSubstr;

struct TelemetryReaderTest : testing::Test {
  test::TempDir dir;
  SampleFile sample;

  Result<Snapshot> read(const std::string& bytes) {
    const Result<TelemetryReader> reader = TelemetryReader::open(dir.write("polyrail.1", bytes));
    if (!reader.ok()) return reader.status();
    return reader.value().read();
  }
  Snapshot good() {
    Result<Snapshot> s = read(sample.bytes());
    EXPECT_TRUE(s.ok()) << s.message();
    return s.ok() ? std::move(s).value() : Snapshot();
  }
  std::string errorOf(const std::string& bytes) {
    const Result<Snapshot> s = read(bytes);
    return s.ok() ? "" : s.message();
  }
};

TEST_F(TelemetryReaderTest, WhatIsThereComesOut) {
  const Snapshot s = good();
  EXPECT_EQ(s.header.process, 4711u);
  ASSERT_EQ(s.rails.size(), 2u);
  EXPECT_EQ(textIn(s.rails[1].name), "emu1:1");
  EXPECT_EQ(s.rails[1].bytesSent, 101u);
  ASSERT_EQ(s.comms.size(), 1u);
  ASSERT_EQ(s.paths.size(), 2u);
  EXPECT_EQ(s.paths[1].bytes, 101u);
  EXPECT_EQ(s.torn, 0u);
  EXPECT_FALSE(s.alive);
}

TEST_F(TelemetryReaderTest, WhatIsBeingWrittenIsLeftOutAndCounted) {
  sample.paths[0].sequence = 3;
  const Snapshot s = good();
  ASSERT_EQ(s.paths.size(), 1u);
  EXPECT_EQ(s.paths[0].index, 1u);
  EXPECT_EQ(s.torn, 1u);
}

TEST_F(TelemetryReaderTest, PathsOfNoCommAndOfNoRailAreLeftOut) {
  sample.paths[0].comm = 8;   // closed meanwhile
  sample.paths[1].rail = 99;  // nonsense
  const Snapshot s = good();
  EXPECT_TRUE(s.paths.empty());
  EXPECT_EQ(s.torn, 1u);
}

TEST_F(TelemetryReaderTest, ForeignFilesAreRefused) {
  EXPECT_THAT(errorOf(""), HasSubstr("polyrail.1: it ends at byte 0"));
  EXPECT_THAT(errorOf(std::string(5000, 'x')), HasSubstr("it is no telemetry file of polyrail"));
  const Result<TelemetryReader> absent = TelemetryReader::open(dir.file("none"));
  ASSERT_FALSE(absent.ok());
  EXPECT_THAT(absent.message(), HasSubstr("No such file"));
  EXPECT_FALSE(TelemetryReader::open(dir.file(".")).ok());
}

TEST_F(TelemetryReaderTest, APipeIsRefusedWithoutWaiting) {
  ASSERT_EQ(mkfifo(dir.file("polyrail.2").c_str(), 0600), 0);
  EXPECT_FALSE(TelemetryReader::open(dir.file("polyrail.2")).ok());
}

TEST_F(TelemetryReaderTest, AFileThatWasCutShortIsRefusedWhereverItEnds) {
  const std::string all = sample.bytes();
  for (const uint64_t end : {uint64_t{8}, uint64_t{343}, kRailOffset + 1, kCommOffset + 1, kPathOffset + 1})
    EXPECT_THAT(errorOf(all.substr(0, end)), HasSubstr("it ends at byte")) << end;
}

TEST_F(TelemetryReaderTest, AnotherVersionIsToldWhatToUse) {
  sample.header.version = kTelemetryVersion + 1;
  putText(sample.header.release, "9.9\x1b[2J");
  EXPECT_THAT(errorOf(sample.bytes()), HasSubstr("version 2 of the layout"));
  EXPECT_THAT(errorOf(sample.bytes()), HasSubstr("(9.9?[2J)"));
}

TEST_F(TelemetryReaderTest, AHeaderWithOtherPlacesIsRefused) {
  const auto damaged = [&](auto TelemetryHeader::*field) {
    SampleFile other;
    (other.header.*field)++;
    return errorOf(other.bytes());
  };
  for (auto field : {&TelemetryHeader::headerBytes, &TelemetryHeader::railRecords, &TelemetryHeader::commRecords,
                     &TelemetryHeader::pathRecords, &TelemetryHeader::railBytes, &TelemetryHeader::commBytes,
                     &TelemetryHeader::pathBytes})
    EXPECT_THAT(damaged(field), HasSubstr("its header is damaged"));
  for (auto field : {&TelemetryHeader::railOffset, &TelemetryHeader::commOffset, &TelemetryHeader::pathOffset,
                     &TelemetryHeader::fileBytes})
    EXPECT_THAT(damaged(field), HasSubstr("its header is damaged"));
  sample.header.pathsUsed = kPathRecords + 1;
  EXPECT_THAT(errorOf(sample.bytes()), HasSubstr("its header is damaged"));
}

TEST_F(TelemetryReaderTest, NoBytesOfAHeaderMakeItCrash) {
  const std::string all = sample.bytes();
  for (size_t at = 0; at < 2 * sizeof(TelemetryHeader); at++) {
    std::string bytes = all.substr(0, kRailOffset + 2 * sizeof(RailRecord));
    bytes[at % sizeof(TelemetryHeader)] = at < sizeof(TelemetryHeader) ? '\xff' : '\0';
    (void)read(bytes);
  }
}

TEST_F(TelemetryReaderTest, TheFolderIsListed) {
  dir.write("polyrail.2", "");
  dir.write("polyrail.10", "");
  dir.write("nccl-x", "");
  EXPECT_THAT(telemetryFiles(dir.file("")), testing::SizeIs(2));
  EXPECT_TRUE(telemetryFiles(dir.file("none")).empty());
  EXPECT_EQ(telemetryFolder(), "/dev/shm");
}

}  // namespace
}  // namespace polyrail::net
