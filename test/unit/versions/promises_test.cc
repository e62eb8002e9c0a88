// SPDX-License-Identifier: Apache-2.0
// docs/versioning.md names for each promise the tests that hold it, and for each NCCL the ABI versions that it takes:
// the tests are there, and the versions are those that the built plugins export.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>

#include "test/contract/host/library.h"
#include "test/contract/host/nccl_release.h"
#include "test/unit/versions/page.h"

namespace polyrail::test {
namespace {

namespace fs = std::filesystem;

// "Suite.Name" of every test there is.
std::set<std::string> allTests() {
  static const std::regex test(R"((?:TEST|TEST_F|TEST_P|RC_GTEST_PROP)\((\w+),\s*(\w+))");
  std::set<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(std::string(std::getenv("POLYRAIL_TOP")) + "/test")) {
    if (entry.path().extension() != ".cc") continue;
    const std::string source = checkoutFile(fs::relative(entry.path(), std::getenv("POLYRAIL_TOP")));
    for (std::sregex_iterator it(source.begin(), source.end(), test), end; it != end; ++it)
      found.insert((*it)[1].str() + "." + (*it)[2].str());
  }
  return found;
}

std::set<std::string> allTargets() {
  static const std::regex target(R"((^|\n)([a-z][a-z -]*):)");
  const std::string makefiles = checkoutFile("Makefile") + checkoutFile("packaging/packaging.mk");
  std::set<std::string> found;
  for (std::sregex_iterator it(makefiles.begin(), makefiles.end(), target), end; it != end; ++it) {
    std::istringstream names((*it)[2].str());
    for (std::string name; names >> name;) found.insert("make " + name);
  }
  return found;
}

// What is wrong with the last cell of a row, or "".
std::string problemOf(const Row& row, const std::set<std::string>& known) {
  const std::vector<std::string> names = quoted(row.back());
  if (names.empty()) return "nothing holds it";
  for (const std::string& name : names)
    if (!known.count(name.substr(0, name.find(" NCCL_SRC")))) return "there is no " + name;
  return "";
}

TEST(Promises, AreHeldByTestsThatAreThere) {
  std::set<std::string> known = allTests();
  ASSERT_GT(known.size(), 500u);
  known.merge(allTargets());
  for (const char* heading : {"", "Mixtures in one job"}) {
    const std::vector<Row> rows = rowsBelow(heading);
    ASSERT_GT(rows.size(), 6u) << heading;
    for (const Row& row : rows) EXPECT_EQ(problemOf(row, known), "") << row[0];
  }
}

// Of ncclTunerPlugin_v1, _v2, …, those that the library that ships exports.
std::set<std::string> exported(const std::string& file, const std::string& symbol) {
  const char* build = std::getenv("POLYRAIL_BUILD");
  Result<contract::Library> library = contract::Library::open(std::string(build ? build : ".") + "/" + file);
  EXPECT_TRUE(library.ok()) << library.message();
  std::set<std::string> found;
  for (int version = 1; library.ok() && version < 40; version++)
    if (library.value().find<void>((symbol + std::to_string(version)).c_str()))
      found.insert("v" + std::to_string(version));
  return found;
}

std::set<std::string> column(size_t index) {
  std::set<std::string> found;
  for (const Row& row : rowsBelow("NCCL"))
    if (row.at(index)[0] == 'v') found.insert(row[index]);
  return found;
}

TEST(Promises, NameTheAbiVersionsThatThePluginsExport) {
  EXPECT_EQ(column(1), exported("libnccl-tuner-polyrail.so", "ncclTunerPlugin_v"));
  EXPECT_EQ(column(2), exported("libnccl-net-polyrail.so", "ncclNetPlugin_v"));
}

// The row whose first cell is this release or a range with it in: "2.24", "2.24 to 2.27".
const Row* rowOf(const std::vector<Row>& rows, const std::string& release) {
  const auto minor = [](const std::string& text) { return std::stoi(text.substr(text.rfind('.') + 1)); };
  for (const Row& row : rows) {
    const std::string first = row[0].substr(0, row[0].find(' ')), last = row[0].substr(row[0].rfind(' ') + 1);
    if (minor(first) <= minor(release) && minor(release) <= minor(last)) return &row;
  }
  return nullptr;
}

TEST(Promises, AreMadeOfEveryNcclThatTheHostPlays) {
  const std::vector<Row> rows = rowsBelow("NCCL");
  for (const contract::NcclRelease& release : contract::kNcclReleases) {
    const Row* row = rowOf(rows, release.name);
    ASSERT_NE(row, nullptr) << release.name;
    EXPECT_EQ(row->at(1), "v" + std::to_string(release.newestAbi)) << release.name;
  }
}

}  // namespace
}  // namespace polyrail::test
