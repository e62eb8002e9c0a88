// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/learn/context_choice.h"
#include "test/unit/learn/build_runs.h"

namespace polyrail::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

LabelledRun run(const char* gpu, const char* nccl, const char* network = "", const char* label = "") {
  LabelledRun r;
  r.run = runOf(nccl::Collective::kAllReduce, 8, 1);
  r.run.gpu = gpu, r.run.ncclVersion = nccl, r.run.network = network;
  r.run.rows.push_back(rowOf(1024, 1, 1));
  r.label = label;
  return r;
}

TEST(Contexts, WhatAFileDoesNotSayIsTakenFromTheOneThatAgrees) {
  const Contexts c = contextsOf({run("H100", "2.29.2", "IB"), run("H100", "2.29.2"), run("", "")});
  EXPECT_EQ(c.all.size(), 1u);
  EXPECT_THAT(c.of, ElementsAre(0, 0, 0));
}

TEST(Contexts, WhatFitsTwoBelongsToNeither) {
  const Contexts c = contextsOf({run("H100", "2.29.2"), run("H100", "2.28.3"), run("H100", "")});
  EXPECT_EQ(c.all.size(), 3u);
}

TEST(Contexts, CampaignsAndTunersStayApart) {
  LabelledRun tuned = run("H100", "2.29.2");
  tuned.run.tunerPlugin = "vendor";
  const Contexts c = contextsOf({run("H100", "2.29.2", "", "monday"), run("H100", "2.29.2"), tuned});
  EXPECT_EQ(c.all.size(), 3u);
}

TEST(ChooseContext, SeveralAreAnErrorThatListsThem) {
  const std::vector<LabelledRun> runs = {run("H100", "2.29.2"), run("A100", "2.29.2")};
  const auto none = chooseContext(runs, "");
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.message(), HasSubstr("A100, NCCL 2.29.2 (1 rows)"));
  const auto one = chooseContext(runs, "a100");
  ASSERT_TRUE(one.ok());
  EXPECT_THAT(one.value().runs, ElementsAre(&runs[1].run));
  EXPECT_THAT(one.value().notes, ElementsAre(HasSubstr("H100")));
  EXPECT_THAT(chooseContext(runs, "B200").message(), HasSubstr("no context contains 'B200'"));
}

}  // namespace
}  // namespace polyrail::cli
