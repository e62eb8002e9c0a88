// SPDX-License-Identifier: Apache-2.0
#include "cli/output/units.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

namespace polyrail::cli {
namespace {

constexpr uint64_t kUntouched = 77;

// The bytes that `text` stands for, kUntouched when it is refused.
uint64_t parsed(const std::string& text) {
  uint64_t bytes = kUntouched;
  const bool taken = parseBytes(text, &bytes);
  EXPECT_TRUE(taken || bytes == kUntouched) << text << " was refused but wrote";
  return bytes;
}

TEST(ParseBytes, TakesEverySuffixInAnyCase) {
  EXPECT_EQ(parsed("0"), 0u);
  EXPECT_EQ(parsed("8589934592"), 8589934592u);
  EXPECT_EQ(parsed("64B"), 64u);
  for (const char* text : {"64K", "64k", "64KB", "64kb", "64KiB", "64 KiB", "65536"}) EXPECT_EQ(parsed(text), 65536u);
  EXPECT_EQ(parsed("1.5K"), 1536u);
  EXPECT_EQ(parsed("1.5M"), 1572864u);
  EXPECT_EQ(parsed("3G"), 3u << 30);
  EXPECT_EQ(parsed("2TiB"), uint64_t{2} << 40);
  EXPECT_EQ(parsed("1e3"), 1000u);
  EXPECT_EQ(parsed("1e3K"), 1024000u);
  EXPECT_EQ(parsed(".5K"), 512u);
}

TEST(ParseBytes, DropsTheFractionOfAByteButNotTheWholeOfIt) {
  EXPECT_EQ(parsed("1.0005K"), 1024u);
  EXPECT_EQ(parsed("2.9"), 2u);
  EXPECT_EQ(parsed("0.0"), 0u);
  EXPECT_EQ(parsed("0.5"), kUntouched);
  EXPECT_EQ(parsed("1e-3"), kUntouched);
}

TEST(ParseBytes, RefusesWhatIsNoSize) {
  for (const char* text :
       {"",   " ",  "K",   "abc", "inf",   "-inf", "infinity", "nan",   "NAN", "nan(1)", "-1",    "-0",
        "+1", " 1", "1KK", "1X",  "1 K B", "0x10", "1,5K",     "12K34", "--1", "1.5.2",  "1e999", "1\n"})
    EXPECT_EQ(parsed(text), kUntouched) << '"' << text << '"';
}

TEST(ParseBytes, IsExactUpToTheLastByteAndRefusesOverflow) {
  EXPECT_EQ(parsed("18446744073709551615"), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(parsed("9007199254740993"), 9007199254740993u);  // 2^53 + 1: no double holds it
  EXPECT_EQ(parsed("9007199254740993K"), 9007199254740993u * 1024);
  EXPECT_EQ(parsed("16777215T"), uint64_t{16777215} << 40);
  for (const char* text : {"18446744073709551616", "18446744073709551616.0", "16777216T", "18014398509481984K",
                           "1e20", "99999999999999999999999999999"})
    EXPECT_EQ(parsed(text), kUntouched) << text;
}

TEST(HumanBytes, IsExactWhereItCanBe) {
  EXPECT_EQ(humanBytes(0), "0 B");
  EXPECT_EQ(humanBytes(777), "777 B");
  EXPECT_EQ(humanBytes(1023), "1023 B");
  EXPECT_EQ(humanBytes(65536), "64 KiB");
  EXPECT_EQ(humanBytes(1023 * 1024), "1023 KiB");
  EXPECT_EQ(humanBytes(1572864), "1.5 MiB");
  EXPECT_EQ(humanBytes(1500), "1.465 KiB");
  EXPECT_EQ(humanBytes(uint64_t{1} << 60), "1 EiB");
}

TEST(HumanBytes, NeverShows1024OfAUnit) {
  EXPECT_EQ(humanBytes(1048575), "1 MiB");
  EXPECT_EQ(humanBytes((uint64_t{1} << 40) - 1), "1 TiB");
  EXPECT_EQ(humanBytes(1023 * 1024 + 511), "1023 KiB");
  EXPECT_EQ(humanBytes(std::numeric_limits<uint64_t>::max()), "16 EiB");
}

TEST(HumanBytes, ReadsBackWithinHalfOfTheLastDigit) {
  EXPECT_TRUE(rc::check([] {
    const auto bytes = *rc::gen::inRange<uint64_t>(0, uint64_t{1} << 50);
    const std::string text = humanBytes(bytes);
    RC_PRE(text.find("PiB") == std::string::npos);
    uint64_t back = 0;
    RC_ASSERT(parseBytes(text, &back));
    const auto error = static_cast<double>(back) - static_cast<double>(bytes);
    RC_ASSERT(std::abs(error) <= 1 + 0.0005 * static_cast<double>(bytes));
  }));
}

TEST(HumanTime, ChangesTheUnitWhereRoundingReachesIt) {
  EXPECT_EQ(humanTime(0), "0 us");
  EXPECT_EQ(humanTime(12.34), "12.3 us");
  EXPECT_EQ(humanTime(-12.34), "-12.3 us");
  EXPECT_EQ(humanTime(999.4), "999 us");
  EXPECT_EQ(humanTime(999.7), "1 ms");
  EXPECT_EQ(humanTime(4560), "4.56 ms");
  EXPECT_EQ(humanTime(999.7e3), "1 s");
  EXPECT_EQ(humanTime(1.5e6), "1.5 s");
  EXPECT_EQ(humanTime(12345e6), "12345 s");
}

}  // namespace
}  // namespace polyrail::cli
