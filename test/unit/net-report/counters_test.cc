// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "net/report/port_counters.h"
#include "test/unit/temp_dir.h"

namespace polyrail::net {
namespace {

struct Port {
  void set(const std::string& counter, const std::string& value) {
    dir.write("sys/class/infiniband/mlx5_0/ports/1/" + counter, value + "\n");
  }
  PortCounters read() { return readPortCounters(SysRoot::at(dir.file("")).value(), "mlx5_0", 1); }
  test::TempDir dir;
};

TEST(Counters, WhatHasGrownIsNamedWithoutItsFolder) {
  Port port;
  port.set("counters/link_downed", "2");
  port.set("counters/symbol_error", "100");
  port.set("hw_counters/rp_cnp_handled", "7");
  const PortCounters before = port.read();
  port.set("counters/link_downed", "3");
  port.set("hw_counters/rp_cnp_handled", "1007");
  const std::vector<CounterChange> changed = changes(before, port.read());
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_EQ(changed[0].name, "link_downed");
  EXPECT_EQ(changed[0].by, 1u);
  EXPECT_EQ(changed[1].name, "rp_cnp_handled");
  EXPECT_EQ(changed[1].by, 1000u);
}

TEST(Counters, OneThatWasResetCountsFromZero) {
  Port port;
  port.set("counters/symbol_error", "100");
  const PortCounters before = port.read();
  port.set("counters/symbol_error", "4");
  const std::vector<CounterChange> changed = changes(before, port.read());
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].by, 4u);
}

// "N/A (no PMA)" is what some ports say (prometheus/node_exporter#966).
TEST(Counters, WhatCannotBeReadOnceIsNotReadAgain) {
  Port port;
  port.set("counters/symbol_error", "N/A (no PMA)");
  const PortCounters before = port.read();
  for (const auto& counter : before) EXPECT_FALSE(counter.has_value());
  port.set("counters/symbol_error", "5");
  port.set("counters/link_downed", "5");
  const SysRoot root = SysRoot::at(port.dir.file("")).value();
  for (const auto& counter : readAgain(root, "mlx5_0", 1, before)) EXPECT_FALSE(counter.has_value());
  EXPECT_TRUE(changes(before, port.read()).empty());
}

}  // namespace
}  // namespace polyrail::net
