// SPDX-License-Identifier: Apache-2.0
// One rank of a job is not like the others: whoever connects says which and in what, and the job ends with an error.
#include <fstream>
#include <regex>

#include "test/vgpu/suite/expect.h"

using namespace polyrail::vgpu;

namespace {

// Three nodes of one rank; rank 2 has something else in its environment.
Job withOddRank(const std::string& setting) {
  Job job("all_reduce");
  job.on({.nodes = 3}).with("NCCL_TUNER_PLUGIN", "polyrail").with("POLYRAIL_POLICY", "none");
  return job.options("-b 1K -e 1K --rank-env 2:" + setting);
}

// All connections at once: with NCCL's lazy ones ranks that differ may block in NCCL itself.
Job& eager(Job& job) { return job.with("NCCL_RUNTIME_CONNECT", "0"); }

// The job ended, by an error that has these words.
void expectNamed(const Outcome& outcome, const std::string& words) {
  EXPECT_EQ(outcome.status, 1);
  const std::string warnings = outcome.lines("WARN NET/polyrail");
  EXPECT_TRUE(std::regex_search(warnings, std::regex(words))) << words << "\n" << outcome.lines("WARN");
}

std::string emptyPolicy() {
  const std::string policy = ownFile("odd.json");
  std::ofstream(policy) << R"({"polyrail_policy": 1, "tables": []})";
  return policy;
}

}  // namespace

// Lazily too: the ranks choose the same at first, so that they meet.
TEST(NcclAgreement, AnotherPolicyIsNamed) {
  const std::string words =
      "handshake with .*process \\d+.*: the ends differ in the policy: (no policy|policy [0-9a-f]+) here";
  for (const bool lazy : {false, true}) {
    SCOPED_TRACE(lazy);
    Job job = withOddRank("POLYRAIL_POLICY=" + emptyPolicy());
    const Outcome outcome = (lazy ? job : eager(job)).run();
    expectNamed(outcome, words);
    EXPECT_FALSE(outcome.says("were still running"));
  }
}

TEST(NcclAgreement, AnotherSettingIsNamed) {
  for (const char* setting : {"NCCL_ALGO=Ring", "NCCL_PROTO=Simple", "NCCL_TUNER_PLUGIN=none"}) {
    SCOPED_TRACE(setting);
    Job job = withOddRank(setting);
    const std::string text = setting, name = text.substr(0, text.find('=')), value = text.substr(text.find('=') + 1);
    const Outcome outcome = eager(job).run();
    expectNamed(outcome, "the ends differ in " + name + ": .*'" + value + "'");
    EXPECT_FALSE(outcome.says("were still running"));
  }
}

// A rank whose handles are those of a plugin with another protocol: who is to connect to it says so and ends, and the
// launcher ends the rank that waits for it.
TEST(NcclAgreement, AnotherPluginVersionIsNamed) {
  Job job = withOddRank("VGPU_MUTATION=version");
  expectNamed(eager(job.watched().options("--grace 2")).run(),
              "the peer speaks protocol versions 2 to 2, here is 1; install one polyrail");
}

// Ranks that choose differently at once: NCCL connects each of them to peers that do not answer, in its own
// bootstrap, where no plugin is asked. `polyrail policy compare` before the job is for this case (polyrail-tuner(7)).
TEST(NcclAgreement, RanksThatDifferAtOnceBlockInNcclItself) {
  Job job = withOddRank("NCCL_ALGO=Tree");
  const Outcome outcome = job.with("NCCL_ALGO", "Ring").options("--deadline 15").run();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(outcome.says("were still running after 15 s")) << outcome.lines("WARN") << outcome.lines("failure");
}
