// SPDX-License-Identifier: Apache-2.0
#include "cli/deploy/compare.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace polyrail::cli {
namespace {

std::string line(const std::string& host, const std::string& policy) {
  return factsLine({host, {policy, "t", "n", "2.27.3+cuda12.9"}}) + "\n";
}
Outcome said(const std::string& text) { return {text, "", 0, false, ""}; }

const std::vector<Group>& policies(const Comparison& c) { return c.groups[0]; }

TEST(Facts, SurviveWhatALauncherPutsAroundThem) {
  const NodeFacts facts{"n1", {"aa", "none", "unreadable", "2.30.7"}};
  const std::optional<FoundFacts> found = factsInLine("n1.example.org: " + factsLine(facts) + "\r");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->before, "n1.example.org: ");
  EXPECT_EQ(found->facts.host, "n1");
  EXPECT_EQ(found->facts.of, facts.of);
}

TEST(Facts, ThatAreCutShortAreNone) {
  const std::string whole = factsLine({"n1", {"aa", "bb", "cc", "2.30.7"}});
  ASSERT_TRUE(factsInLine(whole));
  for (size_t n = 0; n < whole.size(); n++) EXPECT_FALSE(factsInLine(whole.substr(0, n))) << n;
}

TEST(Launches, OneAHostOrOneForAll) {
  const auto each = launches("rsh {host} {command}", {"a", "b"}, "polyrail x");
  ASSERT_TRUE(each.ok());
  ASSERT_EQ(each.value().size(), 2u);
  EXPECT_EQ(each.value()[1].line, "rsh b polyrail x");
  const auto all = launches("srun", {"a", "b"}, "polyrail x");
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all.value().size(), 1u);
  EXPECT_EQ(all.value()[0].line, "srun --nodelist=a,b --nodes=2 --ntasks=2 --ntasks-per-node=1 polyrail x");
  for (const char* bad : {"slurm", "ssh {host}", "{command}", "x {host} {hosts} {command}"})
    EXPECT_FALSE(launches(bad, {"a"}, "c").ok()) << bad;
}

TEST(ReadAnswers, NamesTheNodeThatDiffers) {
  const std::vector<Launch> asked = {{"", {"a", "b.example.org", "c"}}};
  const Comparison c =
      readAnswers(asked, {said("motd\na: " + line("x", "1") + line("b", "1") + "2: " + line("c", "2"))});
  ASSERT_EQ(policies(c).size(), 2u);
  EXPECT_EQ(policies(c)[0].hosts, (std::vector<std::string>{"a", "b.example.org"}));
  EXPECT_EQ(policies(c)[1].hosts, std::vector<std::string>{"c"});
  EXPECT_TRUE(c.silent.empty());
  EXPECT_FALSE(c.agrees());
  EXPECT_NE(toText(c).find("2  1 node: c\n"), std::string::npos) << toText(c);
  EXPECT_NE(toText(c).find("can hang"), std::string::npos);
  EXPECT_EQ(toJson(c)["policy"][1]["hosts"][0], "c");
}

TEST(ReadAnswers, ASilentNodeIsNoAgreement) {
  const std::vector<Launch> asked = {{"", {"a"}}, {"", {"b"}}};
  const Comparison c = readAnswers(asked, {said(line("a", "1")), {"", "ssh: no route\n", 255, false, ""}});
  ASSERT_EQ(c.silent.size(), 1u);
  EXPECT_EQ(c.silent[0].host, "b");
  EXPECT_EQ(c.silent[0].reason, "exit status 255: ssh: no route");
  EXPECT_FALSE(c.agrees());
  EXPECT_FALSE(readAnswers({}, {}).agrees());
}

TEST(ReadAnswers, AgreesWhenAllSayTheSame) {
  const std::vector<Launch> asked = {{"", {"a"}}, {"", {"b"}}};
  const Comparison c = readAnswers(asked, {said(line("a", "1") + line("a", "1")), said(line("b", "1"))});
  EXPECT_TRUE(c.agrees());
  EXPECT_EQ(c.nodes.size(), 2u);
  EXPECT_NE(toText(c).find("All nodes agree."), std::string::npos);
}

TEST(RunCommands, CollectsInOrderAndEndsWhatHangs) {
  const auto out = runCommands(
      {"sleep 0.2; echo one; exit 3", "echo two >&2", "echo three; sleep 100 & sleep 100", "kill -TERM $$", "cat"},
      {3, 0.8});
  ASSERT_EQ(out.size(), 5u);
  EXPECT_EQ(out[0].output, "one\n");
  EXPECT_EQ(out[0].exitStatus, 3);
  EXPECT_EQ(out[1].errors, "two\n");
  EXPECT_TRUE(out[2].timedOut);
  EXPECT_EQ(out[2].output, "three\n");
  EXPECT_EQ(out[3].exitStatus, 128 + 15);
  EXPECT_EQ(out[4].exitStatus, 0);
  EXPECT_FALSE(out[4].timedOut);
}

TEST(RunCommands, DoesNotStopAtAPipeThatIsFull) {
  const auto out = runCommands({"head -c 3000000 /dev/zero"}, {1, 30});
  EXPECT_EQ(out[0].output.size(), 3000000u);
}

}  // namespace
}  // namespace polyrail::cli
