// SPDX-License-Identifier: Apache-2.0
// Policies of an older and of a newer format than the one that is read: the tuner warns and leaves all to NCCL, the
// command names the format, and none gets onto a node. The frozen policy of this format is read by both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>

#include "test/contract/host/log_sink.h"
#include "test/contract/host/tuner_host.h"
#include "test/unit/temp_dir.h"
#include "test/unit/versions/page.h"

namespace polyrail::test {
namespace {

using ::testing::HasSubstr;

std::string built(const std::string& name) { return std::string(std::getenv("POLYRAIL_BUILD")) + "/" + name; }

std::string ofFormat(int format) {
  return "{\"polyrail_policy\": " + std::to_string(format) +
         R"(, "tables": [{"collective": "allreduce", "size": "total_bytes", "rules": [{"from": 0, "to": null,
            "choices": [{"algorithm": "ring", "protocol": "simple", "channels": 1}]}]}]})";
}

std::string refusal(int format) {
  return "format " + std::to_string(format) + " is not known; this polyrail reads format 1";
}

// One life of the tuner under this policy: what it said, and whether NCCL's table is as it was.
struct Life {
  std::string said;
  size_t warnings = 0;
  bool untouched = false;
};

Life liveUnder(const std::string& policyFile) {
  setenv("POLYRAIL_POLICY", policyFile.c_str(), 1);
  contract::LogSink log;
  Life life;
  Result<contract::TunerHost> host =
      contract::TunerHost::load(built("libnccl-tuner-polyrail.so"), contract::kNcclReleases.back(), log.function());
  EXPECT_TRUE(host.ok()) << host.message();
  Result<contract::Communicator> comm = host.value().create({});
  EXPECT_TRUE(comm.ok()) << comm.message();
  life.untouched = host.value().ask(comm.value(), {.bytes = 1 << 20}).untouched();
  EXPECT_EQ(host.value().destroy(comm.value()), nccl::Result::kSuccess);
  host.value().unload();
  life.said = log.text();
  life.warnings = log.count(nccl::LogLevel::kWarn);
  unsetenv("POLYRAIL_POLICY");
  return life;
}

TEST(PolicyFormats, TheTunerLeavesAllToNcclUnderAnother) {
  TempDir folder;
  for (const int format : {0, 2, 3}) {
    const Life life = liveUnder(folder.write("policy.json", ofFormat(format)));
    EXPECT_TRUE(life.untouched) << format;
    EXPECT_EQ(life.warnings, 1u) << life.said;
    EXPECT_THAT(life.said, HasSubstr(refusal(format)));
  }
  const Life life = liveUnder(folder.write("policy.json", ofFormat(1)));
  EXPECT_FALSE(life.untouched) << life.said;
  EXPECT_EQ(life.warnings, 0u) << life.said;
}

struct Ran {
  int code = -1;
  std::string output;  // and errors
};

Ran polyrail(const std::string& words) {
  std::FILE* pipe = ::popen((built("polyrail") + " " + words + " 2>&1").c_str(), "r");
  Ran ran;
  char buffer[4096];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) ran.output.append(buffer, n);
  const int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

TEST(PolicyFormats, TheCommandNamesAnotherAndInstallsNone) {
  TempDir folder;
  const std::string mine = folder.write("mine.json", ofFormat(1));
  for (const int format : {0, 2}) {
    const std::string file = folder.write("other.json", ofFormat(format));
    const std::string call = " --collective allreduce --bytes 1M --ranks 16 --nodes 2";
    for (const std::string& words : {"check " + file, "policy show " + file, "policy digest " + file,
                                     "explain --policy " + file + call, "policy install " + file + " --to " + mine}) {
      const Ran ran = polyrail(words);
      EXPECT_THAT(ran.output, HasSubstr(refusal(format))) << words;
      EXPECT_EQ(ran.code, 3) << words;
    }
    // What `policy compare` has of a node: it differs from nodes whose polyrail reads that format.
    EXPECT_THAT(polyrail("policy digest --node --policy " + file).output, HasSubstr("policy=unusable-"));
  }
  EXPECT_EQ(folder.read("mine.json"), ofFormat(1));
}

TEST(PolicyFormats, TheFrozenPolicyIsReadByCommandAndTuner) {
  const std::string frozen = std::string(std::getenv("POLYRAIL_TOP")) + "/test/contract/tuner/decisions.json";
  const Ran ran = polyrail("policy show " + frozen);
  EXPECT_EQ(ran.code, 0) << ran.output;
  const Life life = liveUnder(frozen);
  EXPECT_EQ(life.warnings, 0u) << life.said;
}

}  // namespace
}  // namespace polyrail::test
