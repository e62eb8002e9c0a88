// SPDX-License-Identifier: Apache-2.0
// The built plugin's life in a process: what it says, what it shares, what a bad policy or no memory does to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdarg>
#include <cstring>
#include <mutex>
#include <thread>

#include "test/bench/rule_sets.h"
#include "test/bench/tuner_copy.h"
#include "test/unit/tuner-plugin/interposed.h"

namespace polyrail {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ContainsRegex;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr int kAllReduce = static_cast<int>(nccl::Collective::kAllReduce);

std::mutex gLogMutex;
std::vector<std::string> gLines;

void keepLine(nccl::LogLevel level, unsigned long, const char*, int, const char* format, ...) {
  char line[4096];
  va_list args;
  va_start(args, format);
  std::vsnprintf(line, sizeof line, format, args);
  va_end(args);
  const std::lock_guard lock(gLogMutex);
  gLines.push_back(std::string(level == nccl::LogLevel::kWarn ? "WARN " : "INFO ") + line);
}

class Plugin : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("POLYRAIL_TUNER_LOG");
    gLines.clear();
  }
  void TearDown() override { unsetenv("POLYRAIL_TUNER_LOG"); }

  static std::vector<std::string> warnings() {
    std::vector<std::string> found;
    for (const std::string& line : gLines)
      if (line.starts_with("WARN")) found.push_back(line);
    return found;
  }
  static int channels(const test::TunerCopy& copy, void* context, size_t bytes) {
    float costs[7][3];
    std::copy(&test::kCosts[0][0], &test::kCosts[0][0] + 21, &costs[0][0]);
    int n = 0;
    EXPECT_EQ(copy.v6().getCollInfo(context, kAllReduce, bytes, 1, reinterpret_cast<float**>(costs), 7, 3, 0, &n),
              nccl::Result::kSuccess);
    EXPECT_TRUE(n > 0 || std::memcmp(costs, test::kCosts, sizeof costs) == 0);
    return n;
  }
};

Policy twelveRules() { return test::policyOf(test::edges(12, test::Placing::kLog)); }

TEST_F(Plugin, NamesThePolicyOncePerCommunicatorAndCountsAtTheEnd) {
  const test::TunerCopy copy(twelveRules());
  void* first = copy.open(16, 2, keepLine);
  void* second = copy.open(8, 1, keepLine);
  ASSERT_THAT(gLines, SizeIs(2));
  const std::string digest = policyDigest(writePolicy(twelveRules())).substr(0, 16);
  EXPECT_THAT(gLines[0], AllOf(StartsWith("INFO"), HasSubstr(digest), HasSubstr("16 ranks on 2 nodes"),
                               HasSubstr(copy.policyPath()), HasSubstr("12 rules fit")));
  EXPECT_THAT(gLines[1], HasSubstr("8 ranks on 1 node"));
  EXPECT_GT(channels(copy, first, 1 << 20), 0);
  EXPECT_EQ(channels(copy, first, 1), 0);
  EXPECT_EQ(channels(copy, first, 2), 0);
  gLines.clear();
  copy.v6().finalize(first);
  ASSERT_THAT(gLines, SizeIs(1));
  EXPECT_THAT(gLines[0], ContainsRegex("decided 1 .*2 without a rule"));
  copy.v6().finalize(second);
}

TEST_F(Plugin, LogZeroSaysNothingButWarnings) {
  setenv("POLYRAIL_TUNER_LOG", "0", 1);
  const test::TunerCopy copy(twelveRules());
  copy.v6().finalize(copy.open(16, 2, keepLine));
  EXPECT_THAT(gLines, SizeIs(0));
}

TEST_F(Plugin, LogTwoListsTheRules) {
  setenv("POLYRAIL_TUNER_LOG", "2", 1);
  const test::TunerCopy copy(twelveRules());
  copy.v6().finalize(copy.open(16, 2, keepLine));
  EXPECT_THAT(gLines, Contains(HasSubstr("tables[0].rules[11]: allreduce")));
}

TEST_F(Plugin, AWrongSettingIsWarnedOfOnce) {
  setenv("POLYRAIL_TUNER_LOG", "loud", 1);
  const test::TunerCopy copy(twelveRules());
  void* a = copy.open(16, 2, keepLine);
  void* b = copy.open(16, 2, keepLine);
  EXPECT_THAT(warnings(), SizeIs(1));
  EXPECT_THAT(warnings(), Each(HasSubstr("POLYRAIL_TUNER_LOG=loud")));
  copy.v6().finalize(a);
  copy.v6().finalize(b);
}

TEST_F(Plugin, ABadPolicyIsOneWarningAndNcclsDefaults) {
  for (const char* bad :
       {"", "{", "nonsense", "{\"polyrail_policy\": 2}", "[]", "{\"polyrail_policy\": 1, \"x\": 3}"}) {
    gLines.clear();
    const test::TunerCopy copy{std::string_view(bad)};
    void* a = copy.open(16, 2, keepLine);
    void* b = copy.open(16, 2, keepLine);
    EXPECT_THAT(warnings(), SizeIs(1)) << bad;
    EXPECT_THAT(warnings(), Each(AllOf(HasSubstr(copy.policyPath()), HasSubstr("NCCL's defaults are used"))));
    EXPECT_EQ(channels(copy, a, 1 << 20), 0);
    copy.v6().finalize(a);
    copy.v6().finalize(b);
  }
}

// Rules without end over each other cannot be indexed. That is said once, and other shapes are not touched by it.
TEST_F(Plugin, AShapeThatCannotBeCompiledLeavesTheOthersAlone) {
  Policy policy = twelveRules();
  policy.tables[0].layout.nodes = {2, 2};
  for (uint64_t t = 0; t < 1500; t++) {
    Rule rule = policy.tables[0].rules[0];
    rule.from = t;
    rule.to = 100000 - t;
    rule.pipeOps = Range{t, t};
    policy.tables.push_back({nccl::Collective::kAllReduce, {{4, 4}, {}, {}, {}}, std::nullopt, {rule}});
  }
  const test::TunerCopy copy(policy);
  void* impossible = copy.open(32, 4, keepLine);
  void* again = copy.open(32, 4, keepLine);
  void* fine = copy.open(16, 2, keepLine);
  EXPECT_THAT(warnings(), SizeIs(1));
  EXPECT_THAT(warnings(), Each(HasSubstr("pipeOps")));
  EXPECT_EQ(channels(copy, impossible, 1 << 20), 0);
  EXPECT_EQ(channels(copy, again, 1 << 20), 0);
  EXPECT_GT(channels(copy, fine, 1 << 20), 0);
  for (void* context : {impossible, again, fine}) copy.v6().finalize(context);
}

TEST_F(Plugin, NullLoggersAndContextsAreFine) {
  const test::TunerCopy copy(twelveRules());
  const nccl::TunerV6& v6 = copy.v6();
  EXPECT_EQ(channels(copy, nullptr, 1 << 20), 0);
  EXPECT_EQ(v6.finalize(nullptr), nccl::Result::kSuccess);
  EXPECT_EQ(v6.init(nullptr, 0, 16, 2, nullptr, nullptr, nullptr), nccl::Result::kSuccess);
  EXPECT_EQ(v6.getChunkSize(nullptr, kAllReduce, 1, 1, 2, 1, nullptr), nccl::Result::kSuccess);
  void* context = copy.open();
  EXPECT_EQ(v6.getChunkSize(context, kAllReduce, 1, 1, 2, 1, nullptr), nccl::Result::kSuccess);
  EXPECT_EQ(v6.getCollInfo(context, kAllReduce, 1 << 20, 1, nullptr, 7, 3, 0, nullptr), nccl::Result::kSuccess);
  v6.finalize(context);
}

TEST_F(Plugin, CommunicatorsInThreadsComeAndGo) {
  const test::TunerCopy copy(twelveRules());
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; t++)
    threads.emplace_back([&copy, t] {
      for (size_t life = 0; life < 50; life++) {
        void* context = copy.open(t % 2 ? 16 : 8, t % 2 ? 2 : 1, keepLine);
        for (size_t i = 0; i < 50; i++) EXPECT_GT(channels(copy, context, 128 + (i << 20)), 0);
        copy.v6().finalize(context);
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_THAT(warnings(), SizeIs(0));
}

TEST_F(Plugin, ThePolicyIsReadOnce) {
  const test::TunerCopy copy(twelveRules());
  void* before = copy.open(16, 2, keepLine);
  std::ofstream(copy.policyPath()) << "now something else";
  void* after = copy.open(32, 4, keepLine);
  EXPECT_EQ(channels(copy, before, 1 << 20), channels(copy, after, 1 << 20));
  EXPECT_GT(channels(copy, after, 1 << 20), 0);
  EXPECT_THAT(warnings(), SizeIs(0));
  copy.v6().finalize(before);
  copy.v6().finalize(after);
}

TEST_F(Plugin, ConstantsAreSetOnlyWhereThePolicyNamesThem) {
  Policy policy = twelveRules();
  policy.constants.push_back({"hwLatencies", {2, 1, 0}, 3.25});
  const test::TunerCopy copy(policy);
  nccl::TunerConstantsV5 constants = {}, untouched = {};
  void* context = nullptr;
  copy.v6().init(&context, 7, 16, 2, nullptr, nullptr, &constants);
  EXPECT_EQ(constants.hwLatencies[2][1][0], 3.25);
  constants.hwLatencies[2][1][0] = 0;
  EXPECT_EQ(std::memcmp(&constants, &untouched, sizeof constants), 0);
  copy.v6().finalize(context);
}

// Whichever allocation of init is the first to fail, NCCL gets a success and a tuner that is off or whole.
TEST_F(Plugin, InitSurvivesWithoutMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers bring their own malloc";
#endif
  bool struck = true;
  // The first three may be glibc's for the library's thread-local block (common/plugin/ready_to_throw.h).
  for (uint64_t allowed = 0; struck; allowed = std::max<uint64_t>(4, allowed + 1 + allowed / 8)) {
    const test::TunerCopy copy(twelveRules());
    void* context = nullptr;
    {
      const test::OutOfMemory none(allowed);
      EXPECT_EQ(copy.v6().init(&context, 0, 16, 2, nullptr, nullptr, nullptr), nccl::Result::kSuccess);
      struck = test::OutOfMemory::struck();
    }
    const int n = channels(copy, context, 1 << 20);
    EXPECT_TRUE(struck || n > 0);
    copy.v6().finalize(context);
  }
}

// NCCL 2.21 gives no table, so the tuner must not overrule what the user forces there.
TEST_F(Plugin, AbiTwoIsOffWhenTheUserForcesAnAlgorithm) {
  for (const char* name : {"NCCL_ALGO", "NCCL_PROTO"}) {
    const test::TunerCopy copy(twelveRules());
    const auto& v2 = *copy.library().find<nccl::TunerV2>("ncclTunerPlugin_v2");
    int algorithm = -1, protocol = -1, n = 0;
    void* context = nullptr;
    setenv(name, "Ring", 1);
    v2.init(16, 2, keepLine, &context);
    unsetenv(name);
    v2.getCollInfo(context, kAllReduce, 64, 0, 0, 1, &algorithm, &protocol, &n);
    EXPECT_EQ(algorithm, -1);
    v2.destroy(context);
    EXPECT_THAT(gLines.front(), HasSubstr("NCCL_ALGO"));
    v2.init(16, 2, keepLine, &context);
    v2.getCollInfo(context, kAllReduce, 64, 0, 0, 1, &algorithm, &protocol, &n);
    EXPECT_NE(algorithm, -1);
    v2.destroy(context);
    gLines.clear();
  }
}

}  // namespace
}  // namespace polyrail
