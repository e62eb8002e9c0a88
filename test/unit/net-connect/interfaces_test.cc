// SPDX-License-Identifier: Apache-2.0
#include "net/connect/interfaces.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

namespace polyrail::net {
namespace {

Interface ipv4(const std::string& name, const char* address) {
  Interface i{name, {}};
  auto& in = reinterpret_cast<sockaddr_in&>(i.address);
  in.sin_family = AF_INET;
  inet_pton(AF_INET, address, &in.sin_addr);
  return i;
}

Interface ipv6(const std::string& name) {
  Interface i{name, {}};
  i.address.ss_family = AF_INET6;
  return i;
}

const std::vector<Interface> kNode{ipv4("lo", "127.0.0.1"),   ipv4("docker0", "172.17.0.1"),
                                   ipv4("eth0", "10.0.0.1"),  ipv6("eth1"),
                                   ipv4("eth10", "10.1.0.1"), ipv4("ibs3", "10.2.0.1")};

std::string chosen(const char* names, const char* family = "", const std::vector<Interface>& all = kNode) {
  const Result<Interface> i = chooseInterface(all, {names, family});
  return i.ok() ? i.value().name : "error: " + i.message();
}

TEST(Interfaces, AreTakenInNcclsOrder) {
  EXPECT_EQ(chosen(""), "ibs3");
  EXPECT_EQ(chosen("", "AF_INET6"), "eth1");
  EXPECT_EQ(chosen("", "", {kNode[0], kNode[1], kNode[2]}), "eth0");
  EXPECT_EQ(chosen("", "", {kNode[0], kNode[1]}), "docker0");
  EXPECT_EQ(chosen("", "", {kNode[0]}), "lo");
}

TEST(Interfaces, FollowNcclsGrammar) {
  EXPECT_EQ(chosen("eth1"), "eth1");
  EXPECT_EQ(chosen("=eth10"), "eth10");
  EXPECT_EQ(chosen("eth1", "AF_INET"), "eth10");
  EXPECT_EQ(chosen("^lo,docker,ib"), "eth0");
  EXPECT_EQ(chosen("^=eth0,lo,docker0"), "eth1");
  EXPECT_EQ(chosen("bond,,eth0:1"), "eth0");
}

TEST(Interfaces, SayWhatThereIsWhenNoneFits) {
  EXPECT_NE(chosen("wlan").find("NCCL_SOCKET_IFNAME=wlan"), std::string::npos);
  EXPECT_NE(chosen("wlan").find("eth0 10.0.0.1"), std::string::npos);
  EXPECT_NE(chosen("", "", {}).find("none"), std::string::npos);
}

}  // namespace
}  // namespace polyrail::net
