// SPDX-License-Identifier: Apache-2.0
// The n-th use of each verb fails, for every n, in the plugin that ships: it bears that, or it ends in an error that
// was said; never in a crash, a hang, a stray write, wrong data, or objects left behind.
#include <gtest/gtest.h>

#include <cstdio>
#include <ostream>

#include "test/contract/net-faults/life.h"

namespace polyrail::contract {
namespace {

struct Verb {
  const char* name;
  const char* error;
  int keeps = 0;  // objects that stay when it fails: what it should have ended, and what that hangs on
  long most = 1000;
};
const Verb kVerbs[] = {
    {"ibv_get_device_list", "ENOSYS"}, {"ibv_open_device", "EMFILE"},       {"ibv_query_device", "EIO"},
    {"ibv_query_port", "EIO"},         {"ibv_query_gid", "EIO", 0, 64},     {"ibv_alloc_pd", "ENOMEM"},
    {"ibv_create_cq", "ENOMEM"},       {"ibv_create_qp", "ENOMEM"},         {"ibv_modify_qp", "ETIMEDOUT"},
    {"ibv_reg_mr", "ENOMEM"},          {"ibv_reg_dmabuf_mr", "EOPNOTSUPP"}, {"ibv_post_send", "ENOMEM"},
    {"ibv_post_recv", "ENOMEM"},       {"ibv_poll_cq", "EIO", 0, 40},       {"ibv_dereg_mr", "EBUSY", 3},
    {"ibv_destroy_qp", "EBUSY", 4},    {"ibv_destroy_cq", "EBUSY", 2},      {"ibv_dealloc_pd", "EBUSY", 2},
    {"ibv_close_device", "EBUSY", 1},
};

void PrintTo(const Verb& verb, std::ostream* out) { *out << verb.name; }

class EveryVerb : public testing::TestWithParam<Verb> {};
INSTANTIATE_TEST_SUITE_P(Fails, EveryVerb, testing::ValuesIn(kVerbs),
                         [](const auto& verb) { return std::string(verb.param.name); });

TEST_P(EveryVerb, OnceAtEachPlace) {
  static const LifeEnd plain = live("[]");
  ASSERT_TRUE(plain.whole) << plain.crash << plain.faults << plain.said;
  ASSERT_EQ(plain.objects, 0) << plain.left;
  const Verb& verb = GetParam();
  const long calls = std::min(plain.calls.at(verb.name), verb.most);
  ASSERT_GT(calls, 0) << "the plugin does not use it";
  long errors = 0;
  for (long n = 1; n <= calls; n++) {
    SCOPED_TRACE(std::string(verb.name) + " number " + std::to_string(n) + " of " + std::to_string(calls));
    const LifeEnd end = live(R"([{"on_call": ")" + std::string(verb.name) + R"(", "nth": )" + std::to_string(n) +
                             R"(, "do": "fail", "errno": )" + std::string("\"") + verb.error + "\"}]");
    EXPECT_EQ(end.crash, "");
    EXPECT_EQ(end.violations, 0);
    EXPECT_LE(end.objects, verb.keeps) << end.left;
    for (const char* never : {"is wrong", "wrote outside", "in time", "does not end"})
      EXPECT_EQ(end.faults.find(never), std::string::npos) << end.faults << end.said;
    EXPECT_TRUE(end.whole || end.warnings > 0) << "not a word about: " << end.faults;
    errors += !end.whole;
  }
  std::printf("    %ld calls, %ld errors\n", calls, errors);
}

}  // namespace
}  // namespace polyrail::contract
