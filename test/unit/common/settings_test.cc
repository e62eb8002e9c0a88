// SPDX-License-Identifier: Apache-2.0
#include "common/settings.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

namespace polyrail {
namespace {

constexpr char kName[] = "POLYRAIL_TEST_ONLY";
constexpr Setting kInteger = {kName, "command", SettingType::kInteger, "5", -2, 10, "", "A number."};
constexpr Setting kWord = {kName, "command", SettingType::kWord, "on", 0, 0, "on|off|auto", "A word."};
constexpr Setting kPath = {kName, "command", SettingType::kPath, "", 0, 0, "", "A path."};

class Settings : public testing::Test {
 protected:
  void TearDown() override { unsetenv(kName), unsetenv(kSettingTunerLog); }

  static Result<SettingValue> read(const Setting& setting, const char* text) {
    setenv(kName, text, 1);
    return readSetting(setting);
  }
};

TEST_F(Settings, UnsetOrEmptyMeansTheFallback) {
  unsetenv(kName);
  EXPECT_EQ(readSetting(kInteger).value().text, "5");
  EXPECT_FALSE(readSetting(kInteger).value().fromEnvironment);
  EXPECT_EQ(read(kWord, "").value().text, "on");
  EXPECT_FALSE(readSetting(kWord).value().fromEnvironment);
}

TEST_F(Settings, TakesWhatFits) {
  for (const char* text : {"-2", "0", "10"}) EXPECT_EQ(read(kInteger, text).value().text, text);
  for (const char* text : {"on", "off", "auto"}) EXPECT_EQ(read(kWord, text).value().text, text);
  EXPECT_EQ(read(kPath, "/a b/c").value().text, "/a b/c");
  EXPECT_TRUE(readSetting(kPath).value().fromEnvironment);
}

TEST_F(Settings, OneAndZeroAreOnAndOff) {
  EXPECT_EQ(read(kWord, "1").value().text, "on");
  EXPECT_EQ(read(kWord, "0").value().text, "off");
  constexpr Setting onlyOff = {kName, "net", SettingType::kWord, "auto", 0, 0, "auto|off", "A word."};
  EXPECT_EQ(read(onlyOff, "0").value().text, "off");
  EXPECT_EQ(read(onlyOff, "1").message(), "POLYRAIL_TEST_ONLY=1 is not one of auto|off; using auto");
}

TEST_F(Settings, RefusesWhatDoesNot) {
  for (const char* text : {"-3", "11", "1.5", "+1", " 1", "1 ", "0x1", "one", "99999999999999999999"})
    EXPECT_FALSE(read(kInteger, text).ok()) << text;
  for (const char* text : {"On", "of", "offauto", "off|auto", "|", "on|", " on"})
    EXPECT_FALSE(read(kWord, text).ok()) << text;
}

TEST_F(Settings, AnErrorNamesTheVariableTheValueAndWhatIsAllowed) {
  EXPECT_EQ(read(kInteger, "11").message(), "POLYRAIL_TEST_ONLY=11 is not a whole number from -2 to 10; using 5");
  EXPECT_EQ(read(kWord, "maybe").message(), "POLYRAIL_TEST_ONLY=maybe is not one of on|off|auto; using on");
}

// NCCL's own variables keep the forms that NCCL takes.
TEST_F(Settings, NcclsAreReadAsNcclReadsThem) {
  constexpr Setting hex = {"NCCL_TEST_ONLY", "net", SettingType::kInteger, "5", -2, 255, "", "A number."};
  constexpr Setting word = {"NCCL_TEST_ONLY", "net", SettingType::kWord, "PORT", 0, 0, "LOC|PORT", "A word."};
  const auto value = [](const Setting& s, const char* text) {
    setenv("NCCL_TEST_ONLY", text, 1);
    const auto read = readSetting(s);
    unsetenv("NCCL_TEST_ONLY");
    return read.ok() ? read.value().text : "refused";
  };
  EXPECT_EQ(value(hex, "0x6a"), "106");
  EXPECT_EQ(value(hex, "0152"), "106");
  EXPECT_EQ(value(hex, "0"), "0");
  EXPECT_EQ(value(hex, "-1"), "-1");
  for (const char* bad : {"0x", "0x-1", "00x1", "08", "0xfff", "-0x1"}) EXPECT_EQ(value(hex, bad), "refused") << bad;
  EXPECT_EQ(value(word, "loc"), "LOC");
  EXPECT_EQ(value(word, "lo"), "refused");
}

TEST_F(Settings, ABadIntegerGivesTheFallbackAndTheProblem) {
  std::string problem;
  setenv(kSettingTunerLog, "2", 1);
  EXPECT_EQ(readInteger(kSettingTunerLog, &problem), 2);
  EXPECT_EQ(problem, "");
  setenv(kSettingTunerLog, "loud", 1);
  EXPECT_EQ(readInteger(kSettingTunerLog, &problem), 1);
  EXPECT_NE(problem.find("POLYRAIL_TUNER_LOG=loud"), std::string::npos);
  EXPECT_EQ(readInteger(kSettingTunerLog, nullptr), 1);
}

// The table is what users read: each row must be one that the reader itself accepts.
TEST_F(Settings, EveryRowIsSound) {
  std::set<std::string> names;
  for (const Setting& setting : settings()) {
    const std::string name = setting.name, meaning = setting.meaning, reader = setting.reader;
    const bool ours = name.rfind("POLYRAIL_", 0) == 0, nccls = name.rfind("NCCL_", 0) == 0;
    EXPECT_TRUE(ours || (nccls && reader == "net")) << name;
    EXPECT_TRUE(names.insert(name).second) << name << " is declared twice";
    EXPECT_EQ(findSetting(setting.name), &setting);
    EXPECT_TRUE(reader == "tuner" || reader == "net" || reader == "command") << name;
    EXPECT_TRUE(!meaning.empty() && meaning.back() == '.') << name;
    Setting copy = setting;
    copy.name = kName;
    const bool hasDefault = *setting.fallback != '\0';
    EXPECT_TRUE(hasDefault || setting.type == SettingType::kPath || setting.type == SettingType::kText)
        << name << " has no default";
    EXPECT_TRUE(!hasDefault || read(copy, setting.fallback).ok()) << name << "'s default is not allowed";
  }
  EXPECT_EQ(findSetting("POLYRAIL_NO_SUCH"), nullptr);
}

}  // namespace
}  // namespace polyrail
