// SPDX-License-Identifier: Apache-2.0
// What the plugin that ships asks of its NICs and when it gives it back, seen on NICs that cost nothing: the traffic
// class at both ends, connects that NCCL gives up, a peer that does not listen.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "common/nccl/net_abi.h"
#include "test/contract/host/log_sink.h"
#include "test/null-verbs/null.h"

namespace polyrail::contract {
namespace {

using std::chrono::milliseconds;
constexpr nccl::Result kSuccess = nccl::Result::kSuccess;
constexpr milliseconds kDeadline{1500};

struct Comms {
  alignas(16) char handle[nccl::kNetHandleBytes] = {};
  void *listen = nullptr, *send = nullptr, *receive = nullptr;
};

struct OnNullNics : testing::Test {
  OnNullNics() {
    const char* build = std::getenv("POLYRAIL_BUILD");
    const std::string folder = build ? build : ".", nics = folder + "/null/libibverbs.so.1";
    setenv("NCCL_IBVERBS_LIB", nics.c_str(), 1);
    setenv("NCCL_SOCKET_IFNAME", "lo", 1);
    setenv("POLYRAIL_HANDSHAKE_TIMEOUT", std::to_string(kDeadline.count()).c_str(), 1);
    setenv("NCCL_SOCKET_RETRY_SLEEP_MSEC", "1", 1);
    verbs = dlopen(nics.c_str(), RTLD_NOW | RTLD_LOCAL);
    library = dlopen((folder + "/libnccl-net-polyrail.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_TRUE(verbs && library) << dlerror();
    v10 = static_cast<const nccl::NetV10*>(dlsym(library, "ncclNetPlugin_v10"));
    EXPECT_EQ(v10->init(log.function(), nullptr), kSuccess);
  }
  ~OnNullNics() override {
    dlclose(library);
    dlclose(verbs);
  }
  template <typename R = int, typename... A>
  R asked(const char* what, A... arguments) {
    return reinterpret_cast<R (*)(A...)>(dlsym(verbs, what))(arguments...);
  }
  nccl::Result connectOnce(Comms& c, int trafficClass = nccl::kNetUndefined) {
    nccl::NetCommConfig config{trafficClass};
    return c.send ? kSuccess : v10->connect(0, &config, c.handle, &c.send, nullptr);
  }
  nccl::Result acceptOnce(Comms& c) { return c.receive ? kSuccess : v10->accept(c.listen, &c.receive, nullptr); }
  void close(Comms& c) {
    if (c.send) v10->closeSend(c.send);
    if (c.receive) v10->closeRecv(c.receive);
    if (c.listen) v10->closeListen(c.listen);
  }

  LogSink log;
  void *verbs, *library;
  const nccl::NetV10* v10;
};

// NCCL's v10 tells only connect; the receiver's acknowledgements and grants need it as well.
TEST_F(OnNullNics, TheReceiverHearsOfTheTrafficClassFromTheSender) {
  Comms c;
  ASSERT_EQ(v10->listen(0, c.handle, &c.listen), kSuccess);
  for (int i = 0; i < 100'000 && !(c.send && c.receive); i++) {
    ASSERT_EQ(connectOnce(c, 104), kSuccess) << log.text();
    ASSERT_EQ(acceptOnce(c), kSuccess) << log.text();
  }
  ASSERT_TRUE(c.send && c.receive);
  EXPECT_EQ(asked("null_joined", 104), 2);
  EXPECT_EQ(asked("null_joined", 0), 0);
  close(c);
}

// NCCL aborts without a word: the connect is never called again, its listener is closed.
TEST_F(OnNullNics, AConnectThatNobodyCallsAgainEnds) {
  {
    Comms gone;
    ASSERT_EQ(v10->listen(0, gone.handle, &gone.listen), kSuccess);
    for (int i = 0; i < 1000 && asked("null_queue_pairs") < 2; i++) {
      ASSERT_EQ(connectOnce(gone), kSuccess);
      if (asked("null_queue_pairs") == 2) break;
      ASSERT_EQ(acceptOnce(gone), kSuccess);
    }
    ASSERT_EQ(asked("null_queue_pairs"), 2);
    ASSERT_EQ(gone.send, nullptr);
    close(gone);
  }
  EXPECT_EQ(asked("null_queue_pairs"), 1) << "the listener's end went with it";
  std::this_thread::sleep_for(kDeadline + milliseconds(50));
  Comms next;
  ASSERT_EQ(v10->listen(0, next.handle, &next.listen), kSuccess);
  EXPECT_EQ(asked("null_queue_pairs"), 0);
  close(next);
}

// A handle outlives its listener by accident, or arrives before the port takes callers: it is tried again until the
// deadline, then the error names the address and the cause.
TEST_F(OnNullNics, APeerThatDoesNotListenIsTriedAgainAndNamed) {
  Comms c;
  ASSERT_EQ(v10->listen(0, c.handle, &c.listen), kSuccess);
  v10->closeListen(c.listen);
  c.listen = nullptr;
  const auto begin = std::chrono::steady_clock::now();
  nccl::Result result = kSuccess;
  int calls = 0;
  for (; result == kSuccess && std::chrono::steady_clock::now() < begin + 10 * kDeadline; calls++)
    result = connectOnce(c);
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(result, nccl::Result::kRemoteError);
  EXPECT_GT(calls, 2);
  EXPECT_GE(took, milliseconds(20));
  EXPECT_LE(took, kDeadline + milliseconds(1000));
  EXPECT_NE(log.text().find("127.0.0.1:"), std::string::npos) << log.text();
  EXPECT_NE(log.text().find("refused"), std::string::npos) << log.text();
}

// The kernel may tell of a new address before it has it. Nothing connects meanwhile, one line says why, and when the
// address is there it is found without another event.
TEST_F(OnNullNics, AnAddressThatGoesAndComesBack) {
  Comms c;
  asked<void>("null_hide_gids", 1);
  asked<void>("null_raise", 0, int{IBV_EVENT_GID_CHANGE});
  const auto within = [](milliseconds time, auto&& done) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (!done() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return done();
  };
  ASSERT_TRUE(within(milliseconds(5000), [&] { return log.count(nccl::LogLevel::kWarn) == 1; })) << log.text();
  EXPECT_NE(log.text().find("null0"), std::string::npos) << log.text();
  ASSERT_EQ(v10->listen(0, c.handle, &c.listen), kSuccess);
  EXPECT_EQ(connectOnce(c), nccl::Result::kSystemError);
  EXPECT_EQ(log.count(nccl::LogLevel::kWarn), 2u) << log.text();
  asked<void>("null_hide_gids", 0);
  EXPECT_TRUE(within(milliseconds(5000), [&] {
    if (connectOnce(c) != kSuccess) return false;
    EXPECT_EQ(acceptOnce(c), kSuccess);
    return c.send && c.receive;
  })) << log.text();
  close(c);
}

}  // namespace
}  // namespace polyrail::contract
