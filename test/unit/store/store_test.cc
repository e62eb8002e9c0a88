// SPDX-License-Identifier: Apache-2.0
#include "cli/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "cli/store/gather.h"

namespace polyrail::cli {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/polyrail-store-XXXXXX";
    ASSERT_TRUE(mkdtemp(name));
    folder_ = name;
  }
  void TearDown() override {
    chmod(folder_.c_str(), 0700);
    fs::remove_all(folder_);
  }
  std::string path(const char* name) const { return folder_ + "/" + name; }
  void write(const char* name, const std::string& text) const { std::ofstream(path(name)) << text; }

  std::string folder_;
};

polyrail::Run everything() {
  polyrail::Run r;
  r.line = 12;
  r.collectiveText = "all_reduce_perf";
  r.collective = nccl::Collective::kAllReduce;
  r.ranks = 16, r.nodes = 2;
  r.ncclVersion = "2.27.3", r.testsVersion = "2.17.4", r.gpu = "H\xff'100";
  r.forced = {"Ring", "LL128", 4, 8};
  r.settings = {1, 8, 5, 20, 1, 1, 0, true};
  r.startTime = "now", r.tunerPlugin = "t", r.netPlugin = "n", r.network = "IB";
  r.collChannels = 24;
  r.costTable.emplace();
  r.costTable->latencyUs[4][1][2] = 12.5, r.costTable->bandwidthGBs[4][1][2] = 200;
  r.choices.push_back(
      {nccl::Collective::kAllGather, 1 << 20, true, nccl::Algorithm::kPat, nccl::Protocol::kSimple, 3, 1.5, 7});
  polyrail::Row row;
  row.sizeBytes = UINT64_MAX, row.count = 256, row.type = "float", row.redop = "sum", row.root = 3, row.line = 40;
  row.outOfPlace = Placement{1.25, 2, NAN, 0.0, IterationSpread{1, 2, 3, 4}};
  r.rows.push_back(row);
  row.outOfPlace.reset();
  row.inPlace = Placement{0.1, 0, 0, std::nullopt, std::nullopt};
  r.rows.push_back(row);
  r.complete = true;
  r.problems = {"nodes were not said", "it's cut"};
  return r;
}

void expectSame(const polyrail::Run& a, const polyrail::Run& b) {
  EXPECT_EQ(a.line, b.line);
  EXPECT_EQ(a.collectiveText, b.collectiveText);
  EXPECT_EQ(a.collective, b.collective);
  EXPECT_EQ(a.ranks, b.ranks);
  EXPECT_EQ(a.nodes, b.nodes);
  EXPECT_EQ(a.ncclVersion, b.ncclVersion);
  EXPECT_EQ(a.testsVersion, b.testsVersion);
  EXPECT_EQ(a.gpu, b.gpu);
  EXPECT_EQ(a.forced.algorithm, b.forced.algorithm);
  EXPECT_EQ(a.forced.protocol, b.forced.protocol);
  EXPECT_EQ(a.forced.minChannels, b.forced.minChannels);
  EXPECT_EQ(a.forced.maxChannels, b.forced.maxChannels);
  EXPECT_EQ(a.settings.threads, b.settings.threads);
  EXPECT_EQ(a.settings.gpusPerThread, b.settings.gpusPerThread);
  EXPECT_EQ(a.settings.warmupIterations, b.settings.warmupIterations);
  EXPECT_EQ(a.settings.iterations, b.settings.iterations);
  EXPECT_EQ(a.settings.aggregated, b.settings.aggregated);
  EXPECT_EQ(a.settings.validation, b.settings.validation);
  EXPECT_EQ(a.settings.graph, b.settings.graph);
  EXPECT_EQ(a.settings.cpuTime, b.settings.cpuTime);
  EXPECT_EQ(a.startTime, b.startTime);
  EXPECT_EQ(a.tunerPlugin, b.tunerPlugin);
  EXPECT_EQ(a.netPlugin, b.netPlugin);
  EXPECT_EQ(a.network, b.network);
  EXPECT_EQ(a.collChannels, b.collChannels);
  EXPECT_EQ(a.complete, b.complete);
  EXPECT_EQ(a.problems, b.problems);
  ASSERT_EQ(a.costTable.has_value(), b.costTable.has_value());
  if (a.costTable) {
    EXPECT_EQ(a.costTable->latencyUs, b.costTable->latencyUs);
    EXPECT_EQ(a.costTable->bandwidthGBs, b.costTable->bandwidthGBs);
  }
}

TEST_F(StoreTest, ReadsBackWhatWasAdded) {
  auto store = Store::open(path("s.db"), OpenMode::kCreate);
  ASSERT_TRUE(store.ok()) << store.message();
  ASSERT_TRUE(store.value().add({"log.txt", "abc", "2026-01-02T03:04:05Z", "night"}, {everything(), {}}).value());
  auto runs = store.value().runs();
  ASSERT_TRUE(runs.ok()) << runs.message();
  ASSERT_EQ(runs.value().size(), 2u);
  EXPECT_EQ(runs.value()[0].label, "night");
  EXPECT_EQ(runs.value()[0].digest, "abc");
  const polyrail::Run &was = everything(), &is = runs.value()[0].run;
  EXPECT_EQ(is.file, "log.txt");
  expectSame(was, is);
  expectSame({}, runs.value()[1].run);
  ASSERT_EQ(is.rows.size(), 2u);
  EXPECT_EQ(is.rows[0].sizeBytes, UINT64_MAX);
  EXPECT_EQ(is.rows[0].root, 3);
  EXPECT_EQ(is.rows[0].outOfPlace->timeUs, 1.25);
  EXPECT_TRUE(std::isnan(is.rows[0].outOfPlace->busBw));
  EXPECT_EQ(is.rows[0].outOfPlace->wrong, 0);
  EXPECT_EQ(is.rows[0].outOfPlace->spread->cvPercent, 4);
  EXPECT_FALSE(is.rows[0].inPlace);
  EXPECT_FALSE(is.rows[1].outOfPlace);
  EXPECT_EQ(is.rows[1].inPlace->timeUs, 0.1);
  EXPECT_FALSE(is.rows[1].inPlace->wrong);
  ASSERT_EQ(is.choices.size(), 1u);
  EXPECT_EQ(is.choices[0].algorithm, nccl::Algorithm::kPat);
  EXPECT_EQ(is.choices[0].channels, 3);
  EXPECT_EQ(is.choices[0].modelTimeUs, 1.5);
  EXPECT_EQ(is.choices[0].lines, 7u);
  EXPECT_TRUE(is.choices[0].bytesArePerRank);
}

TEST_F(StoreTest, TheSameBytesAreAddedOnce) {
  auto store = Store::open(path("s.db"), OpenMode::kCreate);
  EXPECT_TRUE(store.value().add({"a", "abc", "", ""}, {everything()}).value());
  EXPECT_FALSE(store.value().add({"other name", "abc", "", ""}, {everything()}).value());
  EXPECT_EQ(store.value().runs().value().size(), 1u);
  EXPECT_EQ(store.value().files().value().size(), 1u);
}

TEST_F(StoreTest, StaysAfterItIsClosed) {
  EXPECT_TRUE(Store::open(path("s.db"), OpenMode::kCreate).value().add({"a", "1", "t", "l"}, {everything()}).value());
  auto again = Store::open(path("s.db"), OpenMode::kRead);
  ASSERT_TRUE(again.ok()) << again.message();
  EXPECT_EQ(again.value().files().value()[0].addedAt, "t");
  EXPECT_THAT(again.value().add({"b", "2", "", ""}, {}).message(), HasSubstr("cannot be written"));
}

TEST_F(StoreTest, AViewShowsTheMeasurementsFlat) {
  EXPECT_TRUE(Store::open(path("s.db"), OpenMode::kCreate).value().add({"a", "1", "t", "l"}, {everything()}).value());
  auto database = Database::open(path("s.db"), OpenMode::kRead);
  Statement s(database.value(),
              "SELECT choice, ranks, in_place, repeat, time_us FROM measurements ORDER BY in_place");
  ASSERT_TRUE(s.step()) << s.status().message();
  EXPECT_EQ(s.text(), "Ring/LL128 x 8");
  EXPECT_EQ(s.integer(), 16);
  EXPECT_EQ(s.integer(), 0);
  EXPECT_EQ(s.integer(), 1);
  EXPECT_EQ(s.real(), 1.25);
}

TEST_F(StoreTest, RefusesWhatIsNoStore) {
  write("text", std::string(4096, 'x'));
  EXPECT_THAT(Store::open(path("text"), OpenMode::kCreate).message(), HasSubstr("not an SQLite database"));
  ASSERT_TRUE(Database::open(path("other.db"), OpenMode::kCreate).value().run("CREATE TABLE t (x)").ok());
  EXPECT_THAT(Store::open(path("other.db"), OpenMode::kCreate).message(), HasSubstr("not a baseline store"));
  EXPECT_THAT(Store::open(path("none.db"), OpenMode::kRead).message(), HasSubstr("cannot be opened"));
  EXPECT_THAT(Store::open(path("no/such/folder.db"), OpenMode::kCreate).message(), HasSubstr("folder"));
}

TEST_F(StoreTest, RefusesANewerStore) {
  { auto made = Store::open(path("s.db"), OpenMode::kCreate); }
  ASSERT_TRUE(Database::open(path("s.db"), OpenMode::kCreate).value().run("PRAGMA user_version = 99").ok());
  EXPECT_THAT(Store::open(path("s.db"), OpenMode::kRead).message(), HasSubstr("newer polyrail (version 99"));
}

TEST_F(StoreTest, ADamagedStoreIsSaidToBe) {
  { auto made = Store::open(path("s.db"), OpenMode::kCreate); }
  {
    std::fstream file(path("s.db"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);
    for (int i = 0; i < 6000; i++) file.put('\x5a');
  }
  auto store = Store::open(path("s.db"), OpenMode::kCreate);
  EXPECT_FALSE(store.ok() && store.value().runs().ok());
}

TEST_F(StoreTest, AFullDiskAddsNothing) {
  auto store = Store::open(path("s.db"), OpenMode::kCreate);
  auto database = Database::open(path("s.db"), OpenMode::kCreate);
  // The limit is this connection's own, so the store's own connection goes on without it.
  Statement pages(database.value(), "PRAGMA max_page_count = 1");
  pages.execute();
  EXPECT_THAT(database.value()
                  .run("CREATE TABLE big AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                       "WHERE i < 100000) SELECT i, hex(randomblob(64)) FROM n")
                  .message(),
              HasSubstr("disk is full"));
  EXPECT_TRUE(store.value().add({"a", "1", "", ""}, {everything()}).value());
}

TEST_F(StoreTest, AnotherWriterIsWaitedForAndThenNamed) {
  auto store = Store::open(path("s.db"), OpenMode::kCreate);
  auto other = Database::open(path("s.db"), OpenMode::kCreate);
  sqlite3_busy_timeout(other.value().handle(), 10);
  Transaction holds(other.value());
  ASSERT_TRUE(holds.status().ok());
  auto third = Database::open(path("s.db"), OpenMode::kCreate);
  sqlite3_busy_timeout(third.value().handle(), 10);
  EXPECT_THAT(third.value().run("BEGIN IMMEDIATE").message(), HasSubstr("another process is writing"));
}

constexpr char kLog[] =
    "# nccl-tests version 2.17.4 nccl-headers=22703 nccl-library=22703\n"
    "# nThread 1 nGpus 2 minBytes 1024 maxBytes 1024 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 "
    "validation: 1 graph: 0\n#\n# Using devices\n"
    "#  Rank  0 Group  0 Pid   1 on node0 device  0 [0000:41:00] NVIDIA H100 80GB HBM3\n"
    "#  Rank  1 Group  0 Pid   1 on node0 device  1 [0000:42:00] NVIDIA H100 80GB HBM3\n#\n"
    "#                                                              out-of-place                       in-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  "
    "#wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)\n"
    "        1024           256     float     sum      -1    10.00    0.10    0.10       0    11.00    0.10    0.10  "
    "     0\n"
    "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0.1\n";

TEST_F(StoreTest, GathersFoldersAndEachFileOnce) {
  fs::create_directory(path("logs"));
  write("logs/b.txt", kLog);
  write("logs/a.txt", std::string("# first\n") + kLog);
  write("logs/copy.txt", kLog);
  write("logs/readme", "no rows here\n");
  write("logs/.hidden", kLog);
  const auto gathered = gatherRuns({path("logs"), path("logs/a.txt")}, {});
  ASSERT_TRUE(gathered.ok()) << gathered.message();
  EXPECT_THAT(gathered.value().files, ElementsAre("a.txt", "b.txt"));
  EXPECT_EQ(gathered.value().rows, 2u);
  EXPECT_THAT(gathered.value().notes, Contains(HasSubstr("copy.txt: its bytes are known already")));
  EXPECT_THAT(gathered.value().notes, Contains(HasSubstr("readme")));
}

TEST_F(StoreTest, GathersIntoAStoreAndFromIt) {
  write("a.txt", kLog);
  GatherOptions keep;
  keep.store = path("s.db"), keep.label = "night", keep.addedAt = "2026-01-01T00:00:00Z";
  ASSERT_TRUE(gatherRuns({path("a.txt")}, keep).ok());
  const auto again = gatherRuns({path("a.txt")}, keep);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.value().rows, 1u);
  EXPECT_THAT(again.value().notes, ElementsAre(HasSubstr("known already")));
  const auto fromStore = gatherRuns({path("s.db"), path("a.txt")}, {});
  ASSERT_TRUE(fromStore.ok()) << fromStore.message();
  EXPECT_EQ(fromStore.value().rows, 1u);
  EXPECT_EQ(fromStore.value().runs[0].label, "night");
}

TEST_F(StoreTest, GatherFailsOnWhatCannotBeRead) {
  EXPECT_THAT(gatherRuns({path("none.txt")}, {}).message(), HasSubstr("none.txt: No such file"));
}

TEST_F(StoreTest, GatherFillsInWhatFilesDoNotSay) {
  write("bare.txt",
        "        1024           256     float     sum      -1    10.00    0.10    0.10       0    11.00    0.10    "
        "0.10       0\n");
  GatherOptions options;
  options.ranks = 16, options.nodes = 2, options.gpu = "X", options.ncclVersion = "2.20.5";
  const auto gathered = gatherRuns({path("bare.txt")}, options);
  ASSERT_TRUE(gathered.ok());
  ASSERT_EQ(gathered.value().runs.size(), 1u);
  EXPECT_EQ(gathered.value().runs[0].run.nodes, 2u);
  EXPECT_EQ(gathered.value().runs[0].run.gpu, "X");
}

TEST_F(StoreTest, DigestIsSha256) {
  write("abc", "abc");
  EXPECT_EQ(fileDigest(path("abc")).value(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  write("empty", "");
  EXPECT_EQ(fileDigest(path("empty")).value(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_FALSE(fileDigest(path("none")).ok());
}

}  // namespace
}  // namespace polyrail::cli
