// SPDX-License-Identifier: Apache-2.0
// Rows come out the same whatever other writers put between the printf calls that made them, and whatever stands
// before the lines.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "cli/read/reader.h"
#include "test/unit/read/sample_table.h"

namespace polyrail {
namespace {

using sample::SampleTable;
using sample::Style;

// Text that may come between two printf calls of the table. It is put there as it is.
const std::vector<std::string> kForeign = {
    "boxa:700:712 [3] NCCL INFO Channel 00/24 : 0 1 2 3\n",
    "boxa:700:700 [0] NCCL INFO AllReduce: 1048576 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}\n"
    "boxa:700:700 [0] NCCL INFO AllReduce: 1048576 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}\n",
    "[2026-07-10 10:11:12] boxb:44:45 [1] net.cc:88 NCCL WARN something odd: 1 2 3 4\n",
    "boxa:700:700 [0] NCCL INFO   AllReduce |     8.0/  61.1 |    16.5/ 180.6 |    16.4/ 232.2 |\n",
    "Warning: Permanently added 'boxc' (ED25519) to the list of known hosts.\n",
    "\n",
};

// Docker gives hosts such names; their digits run into the number before them.
const std::string kDigitHost =
    "38c0ffee0001:700:700 [0] NCCL INFO Broadcast: 4 Bytes -> Algo RING proto LL "
    "channel{Lo..Hi}={0..0}\n";

const std::vector<std::string> kPrefixes = {
    "",
    "[1,0]<stdout>:",
    "0: ",
    " 12: ",
    "[0] ",
    "2024-11-28T07:42:11.525Z ",
    "Thu Jul 18 15:41:05 2024[1,0]<stdout>:",
    "(RayWorkerWrapper pid=660) ",
    "nccl-test-launcher-abcde nccl ",
    "[pod/nccl-launcher-x7/mpi] ",
    "  | 2024-11-28T07:42:11.525Z | algo-1: ",
    "\x1b[32mnccl-launcher\x1b[0m ",
    "launcher-0  \x1b[1m| ",
};

std::string prefixed(const std::string& text, const std::string& prefix, const std::string& lineEnd) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    out += prefix + text.substr(at, end - at);
    if (end == std::string::npos) break;
    out += lineEnd;
    at = end + 1;
  }
  return out;
}

// Calls `between` before every piece but the first of each row and puts what it returns there.
std::string torn(const SampleTable& table, const std::function<std::string(size_t row, size_t piece)>& between) {
  std::string text = table.header;
  for (size_t i = 0; i < table.rows.size(); i++)
    for (size_t j = 0; j < table.rows[i].pieces.size(); j++) {
      if (j > 0) text += between(i, j);
      text += table.rows[i].pieces[j];
    }
  return text + table.footer;
}

std::string compare(const SampleTable& table, const std::string& text) {
  const CollectedRuns read = collectRunsFromText(text, "sample.log");
  std::vector<Row> rows;
  for (const Run& run : read.runs) rows.insert(rows.end(), run.rows.begin(), run.rows.end());
  if (rows.size() != table.rows.size())
    return "found " + std::to_string(rows.size()) + " of " + std::to_string(table.rows.size()) + " rows";
  for (size_t i = 0; i < rows.size(); i++)
    if (std::string d = difference(table.rows[i].expected, rows[i]); !d.empty())
      return "row " + std::to_string(i) + ": " + d;
  return "";
}

TEST(Interruption, NoneAtAll) {
  for (Style style : sample::kStyles)
    for (unsigned seed = 0; seed < 50; seed++) {
      const SampleTable table = makeTable(style, seed);
      EXPECT_EQ(compare(table, table.text()), "") << table.text();
    }
}

TEST(Interruption, EveryForeignTextAtEveryBoundary) {
  for (Style style : sample::kStyles) {
    const SampleTable table = makeTable(style, 7, 3);
    for (const std::string& foreign : kForeign)
      for (size_t row = 0; row < table.rows.size(); row++)
        for (size_t piece = 1; piece < table.rows[row].pieces.size(); piece++) {
          const std::string text =
              torn(table, [&](size_t i, size_t j) { return i == row && j == piece ? foreign : std::string(); });
          ASSERT_EQ(compare(table, text), "") << text;
        }
  }
}

TEST(Interruption, EveryPrefixAndLineEnd) {
  for (Style style : sample::kStyles) {
    const SampleTable table = makeTable(style, 11, 4);
    for (const std::string& prefix : kPrefixes)
      for (const char* lineEnd : {"\n", "\r\n"}) {
        const std::string text = prefixed(table.text(), prefix, lineEnd);
        EXPECT_EQ(compare(table, text), "") << text;
      }
  }
}

TEST(Interruption, TagRepeatedInsideTheRow) {
  for (Style style : sample::kStyles) {
    const SampleTable table = makeTable(style, 13, 4);
    for (const std::string tag : {"[1,0]<stdout>:", "[17,123]<stdout>:"}) {
      const std::string text =
          torn(table, [&](size_t i, size_t j) { return j + 1 == table.rows[i].pieces.size() ? std::string() : tag; });
      EXPECT_EQ(compare(table, prefixed(text, tag, "\n")), "") << text;
    }
  }
}

// The width of the column tells where the number ends when nothing else does.
TEST(Interruption, HostThatBeginsWithDigits) {
  for (Style style : sample::kStyles) {
    const SampleTable table = makeTable(style, 17, 4);
    for (const bool known : {true, false}) {
      const std::string init = known ? "38c0ffee0001:700:700 [0] NCCL INFO Using network Socket\n" : "";
      for (size_t piece = 1; piece < 3; piece++) {
        const std::string text =
            init + torn(table, [&](size_t, size_t j) { return j == piece ? kDigitHost : std::string(); });
        EXPECT_EQ(compare(table, text), "") << text;
      }
    }
  }
}

RC_GTEST_PROP(Interruption, AnyMixture, ()) {
  const Style style = *rc::gen::elementOf(std::vector<Style>(std::begin(sample::kStyles), std::end(sample::kStyles)));
  const SampleTable table = makeTable(style, *rc::gen::arbitrary<unsigned>(), *rc::gen::inRange(1, 8));
  const std::string prefix = *rc::gen::elementOf(kPrefixes);
  const std::string lineEnd = *rc::gen::element<std::string>("\n", "\r\n");
  const int often = *rc::gen::inRange(1, 6);
  const std::string text = torn(table, [&](size_t, size_t) {
    return *rc::gen::inRange(0, often) == 0 ? *rc::gen::elementOf(kForeign) : std::string();
  });
  RC_ASSERT(compare(table, prefixed(text, prefix, lineEnd)) == "");
}

// A tag that is repeated inside the row may stand before a size of eight digits, with as many spaces behind it as
// before the time: the spaces are the column's, not the tag's.
TEST(Interruption, TagAndPaddingOfTheSameWidth) {
  const CollectedRuns read = collectRunsFromText(
      "[1,0]<stdout>:    16777216       4194304     float     sum      -1[1,0]<stdout>:    283.1   59.27  111.13"
      "      0[1,0]<stdout>:    282.3   59.44  111.44      0\n",
      "tagged");
  ASSERT_EQ(read.summary.rows, 1u);
  const Row& row = read.runs.at(0).rows.at(0);
  EXPECT_DOUBLE_EQ(row.outOfPlace.value().timeUs, 283.1);
  EXPECT_DOUBLE_EQ(row.inPlace.value().timeUs, 282.3);
}

}  // namespace
}  // namespace polyrail
