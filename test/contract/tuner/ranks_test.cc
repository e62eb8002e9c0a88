// SPDX-License-Identifier: Apache-2.0
// NCCL never checks that ranks chose alike; if they did not, the job hangs. Here each rank is a process of its own,
// with its own host name, clock, user, locale, time zone, folder and environment, and all must print the same
// digests.
#include <gtest/gtest.h>

#include "common/policy/policy_file.h"
#include "test/contract/host/child.h"
#include "test/contract/host/generators.h"
#include "test/contract/tuner/plugin_under_test.h"

namespace polyrail::contract {
namespace {

using Environment = std::vector<std::string>;

std::string built(const std::string& name) { return std::string(getenv("POLYRAIL_BUILD")) + "/test/" + name; }

struct Rank {
  const char* what;
  Environment environment;
  std::string directory = {};
};

// LC_NUMERIC with a decimal comma, compiled for this test; empty where the machine cannot.
std::string makeCommaLocale(const ScratchFolder& folder) {
  std::string text = "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n";
  for (const char* other : {"LC_CTYPE", "LC_COLLATE", "LC_TIME", "LC_MONETARY", "LC_MESSAGES"})
    text += std::string(other) + "\ncopy \"POSIX\"\nEND " + other + "\n";
  const std::string source = folder.write("comma.src", text);
  runProgram({{"/usr/bin/localedef", "-c", "-i", source, folder.file("xx_XX")}, {}, ""}, std::chrono::seconds(20));
  return folder.file("");
}

Environment preload(int world) {
  return {"LD_PRELOAD=" + built("plugins/other_world.so"), "OTHER_WORLD=" + std::to_string(world),
          "ASAN_OPTIONS=verify_asan_link_order=0"};
}

std::vector<Rank> ranks(const std::string& localePath) {
  return {
      {"a bare environment", {}},
      {"another host, clock, user and process", preload(1)},
      {"yet another", preload(2)},
      {"a decimal comma", {"LOCPATH=" + localePath, "LC_ALL=xx_XX"}},
      {"another language", {"LANG=de_DE.UTF-8", "LANGUAGE=de"}},
      {"another zone and folder", {"TZ=Pacific/Kiritimati", "HOME=/", "PWD=/"}, "/"},
      {"a launcher",
       {"RANK=7", "LOCAL_RANK=3", "SLURM_PROCID=7", "OMPI_COMM_WORLD_RANK=7", "CUDA_VISIBLE_DEVICES=3"}},
      {"a busy shell", {"HOSTNAME=gpu-17", "USER=somebody", "COLUMNS=40", "TERM=dumb", "MALLOC_PERTURB_=165"}},
  };
}

// What the rank prints, or why it could not.
std::string decisions(const Rank& rank, const std::string& plugin, Environment common, uint64_t seed) {
  common.insert(common.end(), rank.environment.begin(), rank.environment.end());
  const ChildResult result =
      runProgram({{built("tuner-decisions"), plugin, std::to_string(seed)}, std::move(common), rank.directory},
                 std::chrono::seconds(120));
  return result.ok() ? result.output : "failed: " + result.output;
}

class TunerRanks : public testing::Test {
 protected:
  // The first rank that prints something else than the first, or nothing.
  std::string firstToDiffer(const std::string& plugin, const Environment& common, uint64_t seed) {
    const std::vector<Rank> all = ranks(locale_);
    const std::string agreed = decisions(all[0], plugin, common, seed);
    if (agreed.starts_with("failed")) return agreed;
    for (const Rank& rank : all)
      if (decisions(rank, plugin, common, seed) != agreed) return rank.what;
    return "";
  }

  bool haveCommaLocale() const {
    const Environment environment = {"LOCPATH=" + locale_, "LC_ALL=xx_XX"};
    return runProgram({{built("tuner-decisions"), "--decimal-point"}, environment, ""}, std::chrono::seconds(20))
               .output == "0,5\n";
  }

  ScratchFolder folder_;
  std::string locale_ = makeCommaLocale(folder_);
};

TEST_F(TunerRanks, AgreeWhateverTheirSurroundings) {
  for (uint64_t seed = 1; seed <= 4; seed++) {  // each costs as many processes as there are ranks
    const Policy policy = anyPolicy()(rc::Random(seed), rc::kNominalSize).value();
    const std::string file = folder_.write("policy.json", writePolicy(policy));
    EXPECT_EQ(firstToDiffer(tunerPlugin(), {"POLYRAIL_POLICY=" + file}, seed), "") << "policy of seed " << seed;
  }
}

TEST_F(TunerRanks, ADecimalCommaIsAmongTheSurroundings) {
  if (!haveCommaLocale()) GTEST_SKIP() << "localedef cannot make a locale here";
}

struct Planted {
  const char* defect;
  const char* found;
};
class RankDefects : public TunerRanks, public testing::WithParamInterface<Planted> {};
INSTANTIATE_TEST_SUITE_P(Reference, RankDefects,
                         testing::Values(Planted{"host-name", "another host, clock, user and process"},
                                         Planted{"user", "another host, clock, user and process"},
                                         Planted{"clock", "another host, clock, user and process"},
                                         Planted{"locale", "a decimal comma"},
                                         Planted{"language", "another language"}));

TEST_P(RankDefects, AreFound) {
  if (std::string(GetParam().defect) == "locale" && !haveCommaLocale())
    GTEST_SKIP() << "localedef cannot make a locale here";
  const Environment common = {std::string("REFERENCE_TUNER_DEFECT=") + GetParam().defect};
  EXPECT_EQ(firstToDiffer(built("plugins/reference_tuner.so"), common, 1), GetParam().found);
}

}  // namespace
}  // namespace polyrail::contract
