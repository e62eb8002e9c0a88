// SPDX-License-Identifier: Apache-2.0
// A file that is cut anywhere gives rows that are in the whole one, and no others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/read/reader.h"
#include "test/unit/read/sample_json.h"
#include "test/unit/read/sample_table.h"

namespace polyrail {
namespace {

using sample::SampleTable;
using sample::Style;

std::vector<Row> rowsOf(const std::string& text) {
  std::vector<Row> rows;
  for (const Run& run : collectRunsFromText(text, "cut.log").runs)
    rows.insert(rows.end(), run.rows.begin(), run.rows.end());
  return rows;
}

// With a log line inside a row and one between rows.
std::string withLog(const SampleTable& table) {
  std::string text = table.header;
  for (const sample::SampleRow& row : table.rows) {
    text += "boxa:700:700 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/IPC\n";
    for (size_t i = 0; i < row.pieces.size(); i++) {
      if (i == 1) text += "boxa:700:700 [0] NCCL INFO Connected all rings\n";
      text += row.pieces[i];
    }
  }
  return text + table.footer;
}

TEST(Truncation, TailAtEveryByte) {
  for (Style style : sample::kStyles)
    for (unsigned seed = 0; seed < 4; seed++) {
      const SampleTable table = makeTable(style, seed, 4);
      for (const std::string& text : {table.text(), withLog(table)})
        for (size_t length = table.header.size(); length <= text.size(); length++) {
          const std::vector<Row> rows = rowsOf(text.substr(0, length));
          ASSERT_LE(rows.size(), table.rows.size());
          for (size_t i = 0; i < rows.size(); i++)
            ASSERT_EQ(difference(table.rows[i].expected, rows[i]), "") << text.substr(0, length);
        }
    }
}

TEST(Truncation, HeadAtEveryByte) {
  for (Style style : sample::kStyles)
    for (unsigned seed = 0; seed < 4; seed++) {
      const SampleTable table = makeTable(style, seed, 4);
      const std::string text = table.text();
      for (size_t from = table.header.size(); from < text.size(); from++) {
        const std::vector<Row> rows = rowsOf(text.substr(from));
        ASSERT_LE(rows.size(), table.rows.size());
        for (size_t i = 0; i < rows.size(); i++) {
          const size_t whole = table.rows.size() - rows.size() + i;
          ASSERT_EQ(difference(table.rows[whole].expected, rows[i]), "") << text.substr(from);
        }
      }
    }
}

// A row whose last number may have more digits is no row; with its line end it is one.
TEST(Truncation, LastNumberMustBeWhole) {
  const std::string row =
      "     1048576        262144     float     sum      -1    21.50   48.77   73.16       0    20.10   "
      "52.17   78.26";
  EXPECT_EQ(rowsOf(row + "      1").size(), 0u);
  EXPECT_EQ(rowsOf(row + "       1").size(), 1u);
  EXPECT_EQ(rowsOf(row + "      1\n").size(), 1u);
  EXPECT_EQ(rowsOf(row + "    N/A").size(), 1u);
  EXPECT_EQ(rowsOf(row + "    N/").size(), 0u);
  EXPECT_EQ(rowsOf(row + "  1.5e+0").size(), 0u);
  EXPECT_EQ(rowsOf(row + "  1.5e+06").size(), 1u);
}

TEST(Truncation, JsonAtEveryByte) {
  for (const std::string& text : {sample::testsJson(3), sample::pullRequestJson(3)}) {
    const std::vector<Row> whole = rowsOf(text);
    ASSERT_EQ(whole.size(), 3u);
    for (size_t length = 0; length < text.size(); length++) {
      const std::vector<Row> rows = rowsOf(text.substr(0, length));
      ASSERT_LE(rows.size(), whole.size());
      for (size_t i = 0; i < rows.size(); i++) {
        ASSERT_EQ(rows[i].sizeBytes, whole[i].sizeBytes) << length;
        ASSERT_EQ(rows[i].count, whole[i].count) << length;
        ASSERT_EQ(rows[i].outOfPlace->busBw, whole[i].outOfPlace->busBw) << length;
        ASSERT_EQ(rows[i].inPlace->timeUs, whole[i].inPlace->timeUs) << length;
        ASSERT_EQ(rows[i].inPlace->wrong, whole[i].inPlace->wrong) << length;
      }
    }
  }
}

}  // namespace
}  // namespace polyrail
