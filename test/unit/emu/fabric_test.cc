// SPDX-License-Identifier: Apache-2.0
#include "test/emu/core/fabric.h"

#include <gtest/gtest.h>

#include "test/emu/core/units.h"
#include "test/emu/verbs/simulation.h"
#include "test/emu/verbs/sysfs.h"

extern "C" int ibv_read_sysfs_file(const char* folder, const char* file, char* buffer, size_t size);

namespace polyrail::emu {
namespace {

TEST(FabricFile, SaysEverythingOnce) {
  const Result<Fabric> r = parseFabric(R"({
    "profile": "rxe-6.1", "seed": 5, "segment": "16KiB", "cpu": {"post": "80ns"},
    "defaults": {"rate": "200Gb/s", "latency": "2us", "limits": {"max_qp": 10}},
    "hosts": [{"name": "x", "nics": [
      {"name": "mlx5_0", "pci": "0000:18:00.0", "rate": "50Gb/s", "plane": 3},
      {"name": "mlx5_1", "ports": [{"link_layer": "InfiniBand", "lid": 9}, {"mtu": 1024, "address": "10.0.0.7/24"}]}]}],
    "cables": [["x/mlx5_0", "x/mlx5_1"]]})",
                                       "f.json");
  ASSERT_TRUE(r.ok()) << r.message();
  const Fabric& f = r.value();
  EXPECT_EQ(f.profile->name, "rxe-6.1");
  EXPECT_EQ(f.segment, 16384);
  const NicSpec &first = f.hosts[0].nics[0], &second = f.hosts[0].nics[1];
  EXPECT_EQ(first.ports[0].rate, 50'000'000'000);
  EXPECT_EQ(first.ports[0].plane, 3);
  EXPECT_EQ(first.limits.maxQp, 10);
  ASSERT_EQ(second.ports.size(), 2u);
  EXPECT_EQ(second.ports[0].rate, 200'000'000'000);
  EXPECT_FALSE(second.ports[0].ethernet);
  EXPECT_EQ(second.ports[0].lid, 9);
  EXPECT_EQ(second.ports[1].mtu, 1024);
  EXPECT_EQ(second.ports[1].gids.size(), 2u);  // rxe has RoCE v2 entries only
  EXPECT_NE(first.guid, second.guid);
}

TEST(FabricFile, ErrorsNameThePlace) {
  const struct {
    const char *text, *says;
  } bad[] = {{"{", "f.json: not JSON"},
             {"{}", "hosts: expected at least one host"},
             {R"({"hosts": [{"nics": [{"rate": "fast"}]}]})", "hosts[0].nics[0].rate: \"fast\" is not a quantity"},
             {R"({"hosts": [{"nics": [{"lateny": 1}]}]})", "hosts[0].nics[0].lateny: unknown field"},
             {R"({"hosts": [{"nics": [{"ports": [{"mtu": 1500}]}]}]})", "hosts[0].nics[0].ports[0].mtu"},
             {R"({"profile": "rxe-9", "hosts": [{}]})", "profile: expected spec"},
             {R"({"hosts": [{"nics": [{"gids": [{"gid": "zz"}]}]}]})", "gids[0].gid: 'zz'"}};
  for (const auto& b : bad) {
    const Result<Fabric> r = parseFabric(b.text, "f.json");
    ASSERT_FALSE(r.ok()) << b.text;
    EXPECT_NE(r.message().find(b.says), std::string::npos) << r.message();
  }
}

TEST(Units, AsPeopleWriteThem) {
  EXPECT_EQ(parseTime("10us"), 10'000);
  EXPECT_EQ(parseTime("1.5 ms"), 1'500'000);
  EXPECT_EQ(parseRate("2.5Gb/s"), 2'500'000'000);
  EXPECT_EQ(parseRate("1GB/s"), 8'000'000'000);
  EXPECT_EQ(parseBytes("64KiB"), 65536);
  EXPECT_EQ(parseBytes("-1"), std::nullopt);
  EXPECT_EQ(parseBytes("1 mile"), std::nullopt);
}

TEST(Sysfs, IsAnsweredFromTheFabric) {
  Simulation sim(defaultFabric());
  const World& w = sim.world();
  const std::string base = "/sys/class/infiniband/emu0/";
  EXPECT_EQ(readSysfs(w, 0, base + "fw_ver"), "28.39.1002\n");
  EXPECT_EQ(readSysfs(w, 0, base + "ports/1/gid_attrs/types/3"), "RoCE v2\n");
  EXPECT_EQ(readSysfs(w, 0, base + "ports/1/gid_attrs/types/2"), "IB/RoCE v1\n");
  EXPECT_EQ(readSysfs(w, 0, base + "ports/1/gid_attrs/ndevs/3"), "emu0e0\n");
  EXPECT_EQ(readSysfs(w, 1, base + "ports/1/gids/3"), "0000:0000:0000:0000:0000:ffff:0a4d:0002\n");
  EXPECT_EQ(readSysfs(w, 0, base + "ports/1/gid_attrs/types/9"), std::nullopt);
  char text[64];
  EXPECT_EQ(ibv_read_sysfs_file((base + "ports/1").c_str(), "state", text, sizeof text), 9);
  EXPECT_STREQ(text, "4: ACTIVE");
}

}  // namespace
}  // namespace polyrail::emu
