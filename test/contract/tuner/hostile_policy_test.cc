// SPDX-License-Identifier: Apache-2.0
// Policies that are none: each gives one WARN in the whole process, NCCL's defaults, and no crash and no hang. One
// test a file, so that the bar can count them (test/bars/bar-hostile-policies).
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "common/settings.h"
#include "test/contract/host/child.h"
#include "test/contract/host/log_sink.h"
#include "test/contract/tuner/hostile_policies.h"
#include "test/contract/tuner/plugin_under_test.h"

namespace polyrail::contract {
namespace {

bool keepsNcclsDefaults(const TunerHost& host) {
  Result<Communicator> comm = host.create({});
  if (!comm.ok()) return false;
  bool untouched = true;
  for (int collective = 0; collective < nccl::kNumCollectives; collective++)
    for (size_t bytes = 1; bytes <= size_t{1} << 40; bytes *= 8) {
      const Outcome o = host.ask(comm.value(), {.collective = collective, .bytes = bytes});
      untouched = untouched && o.untouched() && o.pick == o.ncclPick && o.faults.empty();
    }
  return host.destroy(comm.value()) == nccl::Result::kSuccess && untouched;
}

// Two communicators one after the other, then two at once. What a person should read, or "good".
std::string verdict() {
  LogSink sink;
  TunerHost host = loadTuner(kNcclReleases[5], sink.function());
  if (!keepsNcclsDefaults(host) || !keepsNcclsDefaults(host)) return "not NCCL's defaults\n" + sink.text();
  std::thread other([&] { keepsNcclsDefaults(host); });
  keepsNcclsDefaults(host);
  other.join();
  const std::string fileNamed = std::string(getenv(kSettingPolicy)).substr(0, 200);  // a log line has its limits
  const size_t warnings = sink.count(nccl::LogLevel::kWarn);
  if (warnings != 1) return std::to_string(warnings) + " warnings\n" + sink.text();
  for (const LogLine& line : sink.lines())
    if (line.level == nccl::LogLevel::kWarn && line.text.find(fileNamed) == std::string::npos)
      return "the warning does not name the file: " + line.text;
  return "good";
}

class HostilePolicy : public testing::TestWithParam<Hostile> {};
INSTANTIATE_TEST_SUITE_P(Tuner, HostilePolicy, testing::ValuesIn(hostilePolicies()),
                         [](const auto& hostile) { return hostile.param.name; });

TEST_P(HostilePolicy, GivesOneWarningAndNcclsDefaults) {
  ScratchFolder folder;
  const std::string file = GetParam().make(folder);
  if (file.empty()) GTEST_SKIP() << "cannot be made here";
  const ChildResult child = runInFork(
      [&] {
        setenv(kSettingPolicy, file.c_str(), 1);
        if (GetParam().asNobody && setuid(65534) != 0) return std::string("cannot become nobody");
        return verdict();
      },
      std::chrono::seconds(20));
  EXPECT_FALSE(child.timedOut);
  EXPECT_EQ(child.status, 0);
  EXPECT_EQ(child.output, "good");
}

}  // namespace
}  // namespace polyrail::contract
