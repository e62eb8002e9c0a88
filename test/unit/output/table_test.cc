// SPDX-License-Identifier: Apache-2.0
#include "cli/output/table.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace polyrail::cli {
namespace {

std::string printed(const Table& table, bool colour) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  table.print(out, colour);
  std::fclose(out);
  const std::string result(text, size);
  std::free(text);
  return result;
}

Table sample() {
  Table table({{"NAME"}, {"BYTES", Align::kRight}, {"NOTE"}});
  table.add({"ring", "8", "ok"});
  table.add({"collnetdirect", "65536", Cell("slow", Tone::kBad)});
  return table;
}

TEST(Table, AlignsToTheWidestCellWithoutTrailingBlanks) {
  EXPECT_EQ(printed(sample(), false),
            "NAME           BYTES  NOTE\n"
            "ring               8  ok\n"
            "collnetdirect  65536  slow\n");
}

TEST(Table, PaintsOnlyTheTextOfTheCellsThatHaveATone) {
  EXPECT_EQ(printed(sample(), true),
            "NAME           BYTES  NOTE\n"
            "ring               8  ok\n"
            "collnetdirect  65536  \x1b[31mslow\x1b[0m\n");
  Table narrow({{"WIDE TITLE", Align::kRight}, {"LAST"}});
  narrow.add({Cell("x", Tone::kGood), Cell("y", Tone::kDim)});
  EXPECT_EQ(printed(narrow, true), "WIDE TITLE  LAST\n         \x1b[32mx\x1b[0m  \x1b[2my\x1b[0m\n");
}

TEST(Table, MissingCellsAreEmptyAndSurplusOnesDropped) {
  Table table({{"A"}, {"B"}});
  EXPECT_TRUE(table.empty());
  table.add({"1"});
  table.add({"", "2"});
  table.add({"1", "2", "a very wide third"});
  EXPECT_FALSE(table.empty());
  EXPECT_EQ(printed(table, false), "A  B\n1\n   2\n1  2\n");
}

TEST(Table, CountsCharactersNotBytes) {
  Table table({{"T"}, {"U"}});
  table.add({"12 µs", "x"});
  table.add({"12 us", "y"});
  EXPECT_EQ(printed(table, false), "T      U\n12 µs  x\n12 us  y\n");
}

TEST(Colour, IsForTerminalsOnly) {
  std::FILE* file = std::tmpfile();
  EXPECT_FALSE(wantsColour(file));
  std::fclose(file);
}

}  // namespace
}  // namespace polyrail::cli
