// SPDX-License-Identifier: Apache-2.0
// Every environment variable that polyrail reads, declared once: name, who reads it, type, default, range, one
// sentence: its own, POLYRAIL_*, and those of NCCL that the net plugin honours in NCCL's meaning. `polyrail env`
// prints this table, the manual is made from it, and the code reads values through it, so the three cannot differ.
// Reading takes getenv at init only; safe from any thread as long as nobody calls setenv.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/status.h"

namespace polyrail {

enum class SettingType { kPath, kInteger, kWord, kText };

struct Setting {
  const char* name;
  const char* reader;  // "tuner", "net" or "command"
  SettingType type;
  const char* fallback;  // as it would be written in the environment; "" for none
  int64_t min, max;      // of an integer
  const char* words;     // "|"-separated values of a word
  const char* meaning;
};

std::span<const Setting> settings();

// The names of the tuner's, so that a misspelt one does not compile; net/settings.h has the net plugin's.
inline constexpr char kSettingPolicy[] = "POLYRAIL_POLICY";
inline constexpr char kSettingTunerLog[] = "POLYRAIL_TUNER_LOG";

// nullptr when there is none of that name.
const Setting* findSetting(const char* name);

struct SettingValue {
  std::string text;  // effective, after the fallback
  bool fromEnvironment = false;
};
// Integers of NCCL's variables may be written as NCCL takes them (0x10 and 020 are 16); ours are decimal; words of
// NCCL's in either case; where on or off is a word, 1 and 0 mean the same. The effective value, or an error that says
// what the variable may be; the caller then goes on with the fallback.
Result<SettingValue> readSetting(const Setting& setting);
// REQUIRES: the setting is an integer. A bad value gives the fallback, and its error in *problem when not null.
int64_t readInteger(const char* name, std::string* problem);

}  // namespace polyrail
