// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "common/policy/policy_file.h"
#include "test/unit/policy/policy_gen.h"

namespace polyrail {
namespace {

RC_GTEST_PROP(RoundTrip, ParseOfWriteIsTheSamePolicy, ()) {
  const Policy policy = test::anyPolicy();
  RC_ASSERT(validatePolicy(policy).message() == "");
  const std::string text = writePolicy(policy);
  const Result<Policy> back = parsePolicy(text, "p.json");
  if (!back.ok()) RC_FAIL(back.message() + "\n" + text);
  RC_ASSERT(back.value() == policy);
  RC_ASSERT(writePolicy(back.value()) == text);
}

TEST(Write, TheBytesAreStable) {
  Policy p;
  p.name = "n";
  Table t;
  t.layout.nodes = {2, 2};
  t.rules.push_back({0, 65536, {}, {}, {Choice{}}, {}});
  t.rules[0].choices[0].time = TimeModel{0.1, 1e-3};
  p.tables.push_back(t);
  EXPECT_EQ(writePolicy(p), R"({
  "polyrail_policy": 1,
  "name": "n",
  "tables": [
    {
      "collective": "allreduce",
      "layout": {
        "nodes": 2
      },
      "size": "total_bytes",
      "rules": [
        {
          "from": 0,
          "to": 65536,
          "choices": [
            {
              "algorithm": "ring",
              "protocol": "simple",
              "time": {
                "base_us": 0.1,
                "us_per_mib": 0.001
              }
            }
          ]
        }
      ]
    }
  ]
}
)");
}

TEST(Write, NamesThatAreNotUtf8DoNotThrow) {
  Policy p;
  p.name = "a\xff";
  EXPECT_TRUE(parsePolicy(writePolicy(p), "p.json").ok());
}

}  // namespace
}  // namespace polyrail
