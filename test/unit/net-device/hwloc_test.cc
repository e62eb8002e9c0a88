// SPDX-License-Identifier: Apache-2.0
// hwloc and /sys tell the same distances: one machine described in both, the first as an XML file that hwloc loads in
// place of this machine.
#include "net/device/hwloc.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "net/device/distance.h"
#include "test/unit/temp_dir.h"

namespace polyrail::net {
namespace {

using testing::HasSubstr;

// A NIC and what it hangs below: NUMA node (and package), bus of the host bridge, PCI bridges from the root port
// down.
struct Nic {
  std::string address;
  int node, host;
  std::vector<std::string> bridges;
};

// Two packages; below the first a switch with two NICs, a second switch behind another port of it, a NIC on a root
// port of its own, one of another host bridge; two NICs below the second package.
const std::vector<Nic> kMachine = {
    {"0000:18:00.0", 0, 0x16, {"0000:16:02.0", "0000:17:00.0"}},
    {"0000:19:00.0", 0, 0x16, {"0000:16:02.0", "0000:17:01.0"}},
    {"0000:1c:00.0", 0, 0x16, {"0000:16:02.0", "0000:17:02.0", "0000:1b:00.0"}},
    {"0000:22:00.0", 0, 0x16, {"0000:16:04.0"}},
    {"0000:31:00.0", 0, 0x30, {"0000:30:01.0"}},
    {"0000:91:00.0", 1, 0x90, {"0000:90:01.0"}},
    {"0000:99:00.0", 1, 0x98, {"0000:98:01.0"}},
};

std::string hostPath(int bus) {
  char text[32];
  std::snprintf(text, sizeof text, "pci0000:%02x", bus);
  return text;
}

std::vector<Port> portsOf(const std::vector<Nic>& nics) {
  std::vector<Port> ports;
  for (const Nic& nic : nics) {
    Port& p = ports.emplace_back();
    p.device = "mlx5_" + std::to_string(ports.size() - 1);
    p.numaNode = nic.node;
    p.pciPath = "/sys/devices/" + hostPath(nic.host);
    for (const std::string& bridge : nic.bridges) p.pciPath += "/" + bridge;
    p.pciPath += "/" + nic.address;
  }
  return ports;
}

// The objects of one place, with everything below it; hwloc wants every bridge once.
class Xml {
 public:
  explicit Xml(const std::vector<Nic>& nics) : nics_(nics) {}
  std::string text() {
    std::string packages;
    for (int node = 0; node < 2; node++) packages += package(node);
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
           "<topology version=\"2.0\">\n<object type=\"Machine\" os_index=\"0\"" +
           sets(3) + " allowed_cpuset=\"0x3\" allowed_nodeset=\"0x3\"" + number() + ">\n" + packages +
           "</object>\n</topology>\n";
  }

 private:
  std::string number() { return " gp_index=\"" + std::to_string(++number_) + "\""; }
  static std::string sets(int mask) {
    const std::string m = "=\"0x" + std::to_string(mask) + "\"";
    return " cpuset" + m + " complete_cpuset" + m + " nodeset" + m + " complete_nodeset" + m;
  }
  std::string package(int node) {
    const std::string index = " os_index=\"" + std::to_string(node) + "\"" + sets(1 << node);
    std::string text = "<object type=\"Package\"" + index + number() + ">\n<object type=\"NUMANode\"" + index +
                       number() + " local_memory=\"4096\"/>\n<object type=\"PU\"" + index + number() + "/>\n";
    std::set<int> hosts;
    for (const Nic& nic : nics_)
      if (nic.node == node) hosts.insert(nic.host);
    for (const int host : hosts) {
      char buses[16];
      std::snprintf(buses, sizeof buses, "[%02x-%02x]", host, host + 15);
      text += "<object type=\"Bridge\"" + number() + " bridge_type=\"0-1\" depth=\"0\" bridge_pci=\"0000:" + buses +
              "\">\n" + below(host, {}) + "</object>\n";
    }
    return text + "</object>\n";
  }
  // What hangs below the bridges `path` of a host bridge.
  std::string below(int host, const std::vector<std::string>& path) {
    std::string text;
    std::set<std::string> seen;
    for (const Nic& nic : nics_) {
      if (nic.host != host || nic.bridges.size() < path.size() ||
          !std::equal(path.begin(), path.end(), nic.bridges.begin()))
        continue;
      if (nic.bridges.size() == path.size()) {
        text += "<object type=\"PCIDev\"" + number() + pci(nic.address, "0207") + "/>\n";
      } else if (const std::string& next = nic.bridges[path.size()]; seen.insert(next).second) {
        std::vector<std::string> longer = path;
        longer.push_back(next);
        text += "<object type=\"Bridge\"" + number() + " bridge_type=\"1-1\" depth=\"" +
                std::to_string(longer.size()) + "\" bridge_pci=\"0000:[" + busBelow(host, longer) + "]\"" +
                pci(next, "0604") + ">\n" + below(host, longer) + "</object>\n";
      }
    }
    return text;
  }
  std::string busBelow(int host, const std::vector<std::string>& path) const {
    std::string first = "ff", last = "00";
    for (const Nic& nic : nics_) {
      if (nic.host != host || nic.bridges.size() < path.size() ||
          !std::equal(path.begin(), path.end(), nic.bridges.begin()))
        continue;
      const std::string& child = nic.bridges.size() > path.size() ? nic.bridges[path.size()] : nic.address;
      first = std::min(first, child.substr(5, 2));
      last = std::max(last, nic.address.substr(5, 2));
    }
    return first + "-" + last;
  }
  static std::string pci(const std::string& address, const std::string& kind) {
    return " pci_busid=\"" + address + "\" pci_type=\"" + kind + " [15b3:1021] [15b3:0023] 00\" pci_link_speed=\"0\"";
  }

  const std::vector<Nic>& nics_;
  int number_ = 0;
};

class HwlocOfXml : public testing::Test {
 protected:
  HwlocAnswer ask(const std::vector<Nic>& nics) {
    std::ofstream(dir_.file("machine.xml")) << Xml(nics).text();
    setenv("HWLOC_XMLFILE", dir_.file("machine.xml").c_str(), 1);
    HwlocAnswer answer = askHwloc();
    unsetenv("HWLOC_XMLFILE");
    return answer;
  }
  test::TempDir dir_;
};

TEST_F(HwlocOfXml, TellsTheSameDistancesAsSysfs) {
  const HwlocAnswer answer = ask(kMachine);
  if (answer.absent.find("libhwloc.so.15") != std::string::npos) GTEST_SKIP() << answer.absent;
  ASSERT_EQ(answer.absent, "");
  EXPECT_THAT(answer.version, HasSubstr("hwloc 2."));
  EXPECT_EQ(answer.nodes, 2);
  const std::vector<Port> ports = portsOf(kMachine);
  const std::optional<Locality> hwloc = localityFrom(answer, ports);
  ASSERT_TRUE(hwloc);
  EXPECT_EQ(hwloc->between, sysfsLocality(ports).between);
  using enum Distance;
  EXPECT_EQ(hwloc->between[0], (std::vector<Distance>{kSelf, kPix, kPxb, kPhb, kPhb, kSys, kSys}));
  EXPECT_EQ(hwloc->between[5][6], kPhb);
}

TEST_F(HwlocOfXml, ANicThatItDoesNotKnowLeavesTheAnswerToSysfs) {
  const HwlocAnswer answer = ask({kMachine[0], kMachine[5]});
  if (answer.absent.find("libhwloc.so.15") != std::string::npos) GTEST_SKIP() << answer.absent;
  EXPECT_FALSE(localityFrom(answer, portsOf(kMachine)));
}

TEST(Hwloc, SaysWhyItIsAbsent) {
  EXPECT_THAT(askHwloc("libno-such-hwloc.so.15").absent, HasSubstr("libno-such-hwloc.so.15"));
  EXPECT_EQ(askHwloc("libc.so.6").absent, "libc.so.6 has no hwloc_get_api_version");
}

TEST(Hwloc, LoadsThisMachine) {
  const HwlocAnswer answer = askHwloc();
  if (answer.absent.find("libhwloc.so.15") != std::string::npos) GTEST_SKIP() << answer.absent;
  EXPECT_EQ(answer.absent, "");
  for (const auto& [address, place] : answer.places) EXPECT_GE(place.chain.size(), 1u) << address;
}

TEST(Locality, OneCardNeedsNoHwloc) {
  std::vector<Port> ports = portsOf({kMachine[0], kMachine[0]});
  EXPECT_EQ(findLocality(ports, SysRoot::live()).source, "sysfs");
  EXPECT_EQ(findLocality(ports, SysRoot::live()).between[0][1], Distance::kPort);
}

}  // namespace
}  // namespace polyrail::net
