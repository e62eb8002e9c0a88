// SPDX-License-Identifier: Apache-2.0
#include "test/contract/tuner/hostile_policies.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>

namespace polyrail::contract {
namespace {

constexpr char kFile[] = "policy.json";

std::string times(const std::string& text, size_t n) {
  std::string all;
  all.reserve(text.size() * n);
  while (n-- > 0) all += text;
  return all;
}

// A good policy but for one value: what the field may hold is filled in.
std::string policy(const std::string& from, const std::string& to, const std::string& choice) {
  return R"({"polyrail_policy": 1, "tables": [{"collective": "allreduce", "size": "total_bytes", "rules": [{"from": )" +
         from + R"(, "to": )" + to + R"(, "choices": [{"algorithm": "ring", "protocol": "simple")" + choice +
         "}]}]}]}";
}
std::string good() { return policy("0", "null", ""); }

Hostile text(const char* name, std::string content) {
  return {name, [content = std::move(content)](const ScratchFolder& f) { return f.write(kFile, content); }};
}

std::string made(const ScratchFolder& folder, bool success) { return success ? folder.file(kFile) : ""; }

std::string makeDirectory(const ScratchFolder& f) { return made(f, mkdir(f.file(kFile).c_str(), 0755) == 0); }
std::string makeFifo(const ScratchFolder& f) { return made(f, mkfifo(f.file(kFile).c_str(), 0644) == 0); }
std::string makeLoop(const ScratchFolder& f) { return made(f, symlink(kFile, f.file(kFile).c_str()) == 0); }

std::string makeHuge(const ScratchFolder& f) {
  f.write(kFile, good());
  return made(f, truncate(f.file(kFile).c_str(), off_t{1} << 30) == 0);  // sparse: a good beginning, then zeros
}

std::string makeUnreadable(const ScratchFolder& f) {
  f.write(kFile, good());
  return made(f, geteuid() == 0 && chmod(f.file(kFile).c_str(), 0) == 0);
}

std::vector<Hostile> wrongKinds() {
  return {{"Missing", [](const ScratchFolder& f) { return f.file("none.json"); }},
          {"Directory", makeDirectory},
          {"Fifo", makeFifo},
          {"LinkToItself", makeLoop},
          {"OneGigabyte", makeHuge},
          {"Unreadable", makeUnreadable, true},
          {"Null", [](const ScratchFolder&) { return std::string("/dev/null"); }},
          {"Zero", [](const ScratchFolder&) { return std::string("/dev/zero"); }},
          {"NameTooLong", [](const ScratchFolder& f) { return f.file(std::string(5000, 'a')); }},
          {"BelowAFile", [](const ScratchFolder& f) { return f.write(kFile, good()) + "/policy.json"; }}};
}

std::vector<Hostile> brokenTexts() {
  const std::string whole = good();
  return {text("Empty", ""),
          text("Blank", " \n\t\n"),
          text("NotJson", "collective,min,max\nallreduce,0,1\n"),
          text("Truncated", whole.substr(0, whole.size() / 2)),
          text("TrailingText", whole + "x"),
          text("TwoDocuments", whole + whole),
          text("TrailingComma", R"({"polyrail_policy": 1, "tables": [],})"),
          text("SixteenBitText", std::string("\xff\xfe{\0}\0", 6)),
          text("ZeroBytes", std::string(4096, '\0')),
          text("BadUtf", "{\"polyrail_policy\": 1, \"name\": \"\xc3\x28\", \"tables\": []}"),
          text("LoneSurrogate", R"({"polyrail_policy": 1, "name": "\ud800", "tables": []})"),
          text("DeepArrays", times("[", 1'000'000)),
          text("DeepObjects", times("{\"a\":", 1'000'000)),
          text("DeepAndClosed", R"({"x-deep": )" + times("[", 200'000) + times("]", 200'000) +
                                    R"(, "polyrail_policy": 1, "tables": []})")};
}

std::vector<Hostile> wrongShapes() {
  return {text("AnArray", "[]"),
          text("AString", "\"policy\""),
          text("JustNull", "null"),
          text("AnEmptyObject", "{}"),
          text("FutureVersion", R"({"polyrail_policy": 2, "tables": []})"),
          text("TablesAsObject", R"({"polyrail_policy": 1, "tables": {}})"),
          text("SameKeyTwice", R"({"polyrail_policy": 1, "tables": [], "tables": []})"),
          text("UnknownKey", R"({"polyrail_policy": 1, "tabels": [], "tables": []})"),
          text("UnknownAlgorithm", policy("0", "null", R"(, "algorithm": "rings")")),
          text("NoChoices", R"({"polyrail_policy": 1, "tables": [{"collective": "allreduce", "size": "total_bytes",
                               "rules": [{"from": 0, "to": null, "choices": []}]}]})"),
          text("EndBeforeBegin", policy("10", "5", ""))};
}

std::vector<Hostile> wrongNumbers() {
  return {text("NotANumber", policy("NaN", "null", "")),
          text("Infinity", policy("0", "Infinity", "")),
          text("TwoToThe64", policy("18446744073709551616", "null", "")),
          text("EndAtTwoToThe64", policy("0", "18446744073709551616", "")),
          text("Negative", policy("-1", "null", "")),
          text("Fraction", policy("0.5", "null", "")),
          text("HugeExponent", policy("1e999", "null", "")),
          text("ThousandDigits", policy(std::string(1000, '9'), "null", "")),
          text("DecimalComma", policy("1,5", "null", "")),
          text("ChannelsZero", policy("0", "null", R"(, "channels": 0)")),
          text("Channels256", policy("0", "null", R"(, "channels": 256)")),
          text("ChannelsNegative", policy("0", "null", R"(, "channels": -1)")),
          text("ChannelsTwoToThe32", policy("0", "null", R"(, "channels": 4294967297)")),
          text("ChunkBelowGrain", policy("0", "null", R"(, "channels": 4, "chunk_bytes": 8)")),
          text("ChunkZero", policy("0", "null", R"(, "channels": 4, "chunk_bytes": 0)")),
          text("TimeNotANumber", policy("0", "null", R"(, "time": {"base_us": NaN, "us_per_mib": 1})")),
          text("TimeNegative", policy("0", "null", R"(, "time": {"base_us": -5, "us_per_mib": 1})")),
          text("TimeInfinite", policy("0", "null", R"(, "time": {"base_us": 1e400, "us_per_mib": 1})"))};
}

}  // namespace

std::vector<Hostile> hostilePolicies() {
  std::vector<Hostile> all;
  for (const auto& some : {wrongKinds(), brokenTexts(), wrongShapes(), wrongNumbers()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace polyrail::contract
