// SPDX-License-Identifier: Apache-2.0
// Ranks may run under different locales; the same bytes must mean the same numbers to all of them.
#include <gtest/gtest.h>
#include <locale.h>

#include <cstdlib>

#include "common/policy/policy_file.h"
#include "test/unit/policy/documents.h"
#include "test/unit/temp_dir.h"

namespace polyrail {
namespace {

// Makes a locale in a folder of the test's own and switches to it; false when this machine cannot.
bool useLocale(const test::TempDir& dir, const std::string& name) {
  const size_t dot = name.find('.');
  const std::string make = "localedef -c -i " + name.substr(0, dot) + " -f " + name.substr(dot + 1) + " '" +
                           dir.file(name) + "' 2>/dev/null";
  if (std::system(make.c_str()) == -1) return false;
  setenv("LOCPATH", dir.file(".").c_str(), 1);
  return setlocale(LC_ALL, name.c_str()) != nullptr;
}

struct LocaleGuard {
  ~LocaleGuard() {
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
  }
};

class Locale : public ::testing::TestWithParam<const char*> {};

TEST_P(Locale, NumbersReadAndWriteTheSame) {
  const std::string json =
      test::withChoice(R"({"algorithm": "ring", "protocol": "ll", "time": {"base_us": 1234.5, "us_per_mib": 1e-3}})");
  const Result<Policy> plain = parsePolicy(json, "p.json");
  ASSERT_TRUE(plain.ok()) << plain.message();
  const std::string written = writePolicy(plain.value());

  const test::TempDir dir;
  const LocaleGuard restore;
  if (!useLocale(dir, GetParam())) GTEST_SKIP() << "cannot make the locale " << GetParam() << " (package locales)";
  EXPECT_STRNE(localeconv()->decimal_point, ".");
  const Result<Policy> here = parsePolicy(json, "p.json");
  ASSERT_TRUE(here.ok()) << here.message();
  EXPECT_EQ(here.value(), plain.value());
  EXPECT_EQ(here.value().tables.at(0).rules.at(0).choices.at(0).time, (TimeModel{1234.5, 1e-3}));
  EXPECT_EQ(writePolicy(plain.value()), written);
  EXPECT_STRNE(localeconv()->decimal_point, ".") << "the caller's locale must be as before";
}

// A comma; a decimal point of two bytes.
INSTANTIATE_TEST_SUITE_P(Decimal, Locale, ::testing::Values("de_DE.ISO-8859-1", "ps_AF.UTF-8"));

}  // namespace
}  // namespace polyrail
