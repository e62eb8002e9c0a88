// SPDX-License-Identifier: Apache-2.0
#include "cli/top/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/top/prometheus.h"
#include "test/unit/top/exposition.h"
#include "test/unit/top/samples.h"

namespace polyrail::cli {
namespace {

using test::at;
using test::process;
using test::rail;
using testing::HasSubstr;

// Each of them must be told from a valid text, or the checks below say nothing.
TEST(Exposition, TheReaderIsStrict) {
  const std::string head = "# HELP a_total x\n# TYPE a_total counter\n";
  EXPECT_EQ(test::readExposition(head + "a_total{b=\"c\\n\"} 1\na_total 2e+3\n").error, "");
  for (const char* bad : {"a_total 1", "a_total{b=\"c} 1\n", "a_total{b=\"\\x\"} 1\n", "a_total x\n", "a_total -1\n",
                          "a_total 1\na_total 1\n", "b 1\n", "a_total{1b=\"\"} 1\n", "a_total{b=\"\",b=\"\"} 1\n",
                          "# TYPE a_total gauge\n", "# HELP a_total y\n", "\n", "a-total 1\n"})
    EXPECT_NE(test::readExposition(head + bad).error, "") << bad;
  const std::string times = "# HELP h x\n# TYPE h histogram\n";
  EXPECT_EQ(test::readExposition(times + "h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 2\nh_sum 1\nh_count 2\n").error,
            "");
  for (const char* bad : {"h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 1\n",
                          "h_bucket{le=\"+Inf\"} 2\nh_sum 1\nh_count 3\n", "h_bucket{le=\"+Inf\"} 2\n", "h 1\n"})
    EXPECT_NE(test::readExposition(times + bad).error, "") << bad;
}

TEST(Prometheus, EscapesLabelsAndHelp) {
  PrometheusText text;
  text.family("a", "gauge", "one \\ two\n\"three\"");
  text.sample({{"b", "\"\\\n"}}, 7);
  EXPECT_EQ(text.text(), "# HELP a one \\\\ two\\n\"three\"\n# TYPE a gauge\na{b=\"\\\"\\\\\\n\"} 7\n");
  EXPECT_EQ(test::readExposition(text.text()).error, "");
}

TEST(Prometheus, BucketsAreInSecondsAndCountAllBelow) {
  LatencyHistogram times{};
  test::take(&times, 500, 1);
  test::take(&times, 3000, 2);
  test::take(&times, int64_t{1} << 39, 4);
  PrometheusText text;
  text.family("t_seconds", "histogram", "x");
  text.histogram({{"d", "a"}}, times);
  const test::Exposition e = test::readExposition(text.text());
  ASSERT_EQ(e.error, "");
  EXPECT_EQ(e.samples.at("t_seconds_bucket{d=\"a\",le=\"1.024e-06\"}"), 1);
  EXPECT_EQ(e.samples.at("t_seconds_bucket{d=\"a\",le=\"4.096e-06\"}"), 3);
  EXPECT_EQ(e.samples.at("t_seconds_bucket{d=\"a\",le=\"17.179869184\"}"), 3);
  EXPECT_EQ(e.samples.at("t_seconds_bucket{d=\"a\",le=\"+Inf\"}"), 7);
  EXPECT_NEAR(e.samples.at("t_seconds_sum{d=\"a\"}"), 4 * 1.5 * 549.755813888, 1e-3);
}

TEST(Metrics, ASeriesForEachProcessAndRail) {
  RailSample down = rail("mlx5_1:2", 1);
  down.condition = RailCondition::kDown, down.failures = 3;
  const test::Exposition e = test::readExposition(prometheusText(
      at(1, {process(7, {rail("mlx5_0:1", 1ull << 60, 5), down}, 4), process(8, {rail("mlx5_0:1", 2)})})));
  ASSERT_EQ(e.error, "");
  EXPECT_EQ(e.samples.at("polyrail_rail_bytes_total{device=\"mlx5_0\",port=\"1\",pid=\"7\",direction=\"sent\"}"),
            0x1p60);
  EXPECT_EQ(e.samples.at("polyrail_rail_bytes_total{device=\"mlx5_0\",port=\"1\",pid=\"7\",direction=\"received\"}"),
            5);
  EXPECT_EQ(e.samples.at("polyrail_rail_bytes_total{device=\"mlx5_0\",port=\"1\",pid=\"8\",direction=\"sent\"}"), 2);
  EXPECT_EQ(e.samples.at("polyrail_rail_up{device=\"mlx5_1\",port=\"2\",pid=\"7\"}"), 0);
  EXPECT_EQ(e.samples.at("polyrail_rail_failures_total{device=\"mlx5_1\",port=\"2\",pid=\"7\"}"), 3);
  EXPECT_EQ(e.samples.at("polyrail_process_info{pid=\"7\",rank=\"4\"}"), 1);
  EXPECT_EQ(e.samples.at("polyrail_process_info{pid=\"8\",rank=\"\"}"), 1);
  EXPECT_EQ(e.samples.at("polyrail_processes{}"), 2);
}

TEST(Metrics, ANodeWithoutJobsIsValid) {
  TopSample idle;
  idle.unreadable = {"x"};
  const test::Exposition e = test::readExposition(prometheusText(idle));
  EXPECT_EQ(e.error, "");
  EXPECT_EQ(e.samples.at("polyrail_processes{}"), 0);
  EXPECT_EQ(e.samples.at("polyrail_unreadable_files{}"), 1);
}

// Names that no device has; a file may say anything.
TEST(Metrics, AnyNameGivesAValidText) {
  for (const char* name : {"", ":", "a", "a\"b:1", "\\:\\", "a:b:2"}) {
    const std::string text = prometheusText(at(1, {process(1, {rail(name)})}));
    EXPECT_EQ(test::readExposition(text).error, "") << name;
  }
  EXPECT_THAT(prometheusText(at(1, {process(1, {rail("a:b:2")})})),
              HasSubstr("{device=\"a:b\",port=\"2\",pid=\"1\"}"));
}

}  // namespace
}  // namespace polyrail::cli
