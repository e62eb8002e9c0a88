// SPDX-License-Identifier: Apache-2.0
// Several communicators and several copies of NCCL on one copy of the plugin: none may take the devices from another.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "common/nccl/net_abi.h"
#include "net/connect/tcp_wire.h"
#include "net/plugin/handle.h"

namespace polyrail::contract {
namespace {

// A program of its own: the emulated NIC that it opens must not be there when others fork.
struct Copies : testing::Test {
  Copies() {
    const char* build = std::getenv("POLYRAIL_BUILD");
    const std::string folder = std::string(build ? build : ".");
    setenv("NCCL_IBVERBS_LIB", (folder + "/emu/libibverbs.so.1").c_str(), 1);
    setenv("NCCL_SOCKET_IFNAME", "lo", 1);
    setenv("NCCL_NET_MERGE_LEVEL", "SYS", 1);
    library = dlopen((folder + "/libnccl-net-polyrail.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    v12 = static_cast<const nccl::NetV12*>(dlsym(library, "ncclNetPlugin_v12"));
    v8 = static_cast<const nccl::NetV8*>(dlsym(library, "ncclNetPlugin_v8"));
  }
  ~Copies() override {
    unsetenv("NCCL_NET_MERGE_LEVEL");
    dlclose(library);
  }
  void* open() {
    void* context = nullptr;
    nccl::NetCommConfig config{nccl::kNetUndefined};
    EXPECT_EQ(v12->init(&context, 1, &config, nullptr, nullptr), nccl::Result::kSuccess);
    return context;
  }

  void* library;
  const nccl::NetV12* v12;
  const nccl::NetV8* v8;
};

TEST_F(Copies, ACommunicatorKeepsItsDevicesWhenANewerOneEnds) {
  void* older = open();
  void* newer = open();
  int before = 0, after = 0;
  EXPECT_EQ(v12->devices(&before), nccl::Result::kSuccess);
  EXPECT_EQ(v12->finalize(newer), nccl::Result::kSuccess);
  EXPECT_EQ(v12->devices(&after), nccl::Result::kSuccess);
  EXPECT_EQ(after, before);
  nccl::NetPropertiesV12 properties;
  EXPECT_EQ(v12->getProperties(0, &properties), nccl::Result::kSuccess);
  EXPECT_EQ(v12->finalize(older), nccl::Result::kSuccess);
  EXPECT_NE(v12->getProperties(0, &properties), nccl::Result::kSuccess);
}

TEST_F(Copies, OfDifferentAbiSeeTheirOwnDevices) {
  void* context = open();
  int asked = 0, fused = 0, again = 0;
  EXPECT_EQ(v12->devices(&asked), nccl::Result::kSuccess);
  EXPECT_EQ(v8->init(nullptr), nccl::Result::kSuccess);
  EXPECT_EQ(v8->devices(&fused), nccl::Result::kSuccess);
  EXPECT_EQ(v12->devices(&again), nccl::Result::kSuccess);
  EXPECT_EQ(again, asked);
  EXPECT_LT(fused, asked);  // NCCL_NET_MERGE_LEVEL made one of two
  EXPECT_EQ(v12->finalize(context), nccl::Result::kSuccess);
}

// More strangers than a listener bears stand in the door and say nothing, before and while the peer comes.
TEST_F(Copies, StrangersDoNotKeepThePeerOut) {
  void* context = open();
  alignas(8) char handle[nccl::kNetHandleBytes] = {};
  void *listener = nullptr, *send = nullptr, *receive = nullptr;
  ASSERT_EQ(v12->listen(context, 0, handle, &listener), nccl::Result::kSuccess);
  net::TcpWire wire({}, {});
  std::vector<std::unique_ptr<net::Stream>> strangers;
  const auto stranger = [&] {
    auto stream = wire.dial(net::readHandle(handle).value().address);
    ASSERT_TRUE(stream.ok()) << stream.message();
    strangers.push_back(std::move(stream).value());
  };
  for (int i = 0; i < 40; i++) stranger();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);  // a handshake may take 30
  for (int i = 0; !(send && receive) && std::chrono::steady_clock::now() < deadline; i++) {
    if (!receive) {
      ASSERT_EQ(v12->accept(listener, &receive, nullptr), nccl::Result::kSuccess);
    }
    if (!send) {
      ASSERT_EQ(v12->connect(context, 0, handle, &send, nullptr), nccl::Result::kSuccess);
    }
    if (i % 100 == 0 && strangers.size() < 200) stranger();
  }
  EXPECT_NE(send, nullptr);
  EXPECT_NE(receive, nullptr);
  if (send) v12->closeSend(send);
  if (receive) v12->closeRecv(receive);
  v12->closeListen(listener);
  EXPECT_EQ(v12->finalize(context), nccl::Result::kSuccess);
}

}  // namespace
}  // namespace polyrail::contract
