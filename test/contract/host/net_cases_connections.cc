// SPDX-License-Identifier: Apache-2.0
// Cases of listen, connect, accept and close.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "test/contract/host/call_watch.h"
#include "test/contract/host/limits.h"
#include "test/contract/host/net_alone.h"
#include "test/contract/host/net_ranks.h"
#include "test/contract/host/pair_traffic.h"

namespace polyrail::contract {
namespace {

void registerOn(const NetCalls& calls, void* comm, int type, std::vector<char>& memory, Faults& faults) {
  void* mhandle = nullptr;
  if (calls.regMr(comm, memory.data(), memory.size(), type, &mhandle) != nccl::Result::kSuccess)
    faults.add("regMr of 2 MiB failed");
  else if (calls.deregMr(comm, mhandle) != nccl::Result::kSuccess)
    faults.add("deregMr failed");
}

std::string selfConnection(const CaseContext& context, Faults& faults) {
  Alone alone(context, faults);
  for (int device = 0; alone.up() && device < alone.host().devices(); device++) {
    NetPair pair(alone.host(), alone.context(), device, context.patience, faults);
    if (!pair.up()) return "";
    std::vector<char> memory(2 << 20);
    for (void* comm : {pair.send(), pair.recv()}) registerOn(alone.calls(), comm, nccl::kPtrHost, memory, faults);
  }
  return "";
}

std::string acceptBeforeConnect(const CaseContext& context, Faults& faults) {
  Alone alone(context, faults);
  if (!alone.up()) return "";
  alignas(16) char handle[nccl::kNetHandleBytes] = {};
  void* listener = nullptr;
  if (alone.calls().listen(alone.context(), 0, handle, &listener) != nccl::Result::kSuccess)
    return faults.add("listen failed"), "";
  const CallWatch watch;
  for (int i = 0; i < 20 && !faults.any(); i++) {
    void* comm = nullptr;
    if (alone.calls().accept(listener, &comm, nullptr) != nccl::Result::kSuccess)
      faults.add("accept failed because nobody has connected yet");
    if (comm) faults.add("accept made a comm although nobody has connected");
    if (watch.blocked() > mayBlock()) faults.add("accept blocked while nobody has connected");
  }
  if (alone.calls().closeListen(listener) != nccl::Result::kSuccess)
    faults.add("closeListen of a listener that nobody used failed");
  return "";
}

// The peer's service thread is busy with others: connect has to wait, but not inside the call.
std::string connectBeforeAccept(const CaseContext& context, Faults& faults) {
  Alone alone(context, faults);
  if (!alone.up()) return "";
  alignas(16) char handle[nccl::kNetHandleBytes] = {};
  void *listener = nullptr, *send = nullptr, *recv = nullptr;
  if (alone.calls().listen(alone.context(), 0, handle, &listener) != nccl::Result::kSuccess)
    return faults.add("listen failed"), "";
  nccl::NetCommConfig config = alone.host().config();
  const CallWatch watch;
  for (int i = 0; i < 200 && !send; i++)
    if (alone.calls().connect(alone.context(), 0, &config, handle, &send, nullptr) != nccl::Result::kSuccess)
      return faults.add("connect failed because nobody has accepted yet"), "";
  if (watch.blocked() > mayBlock()) faults.add("connect blocked while nobody accepts");
  const auto end = std::chrono::steady_clock::now() + context.patience;
  while ((!send || !recv) && std::chrono::steady_clock::now() < end) {
    if (!recv) alone.calls().accept(listener, &recv, nullptr);
    if (!send) alone.calls().connect(alone.context(), 0, &config, handle, &send, nullptr);
  }
  if (!send || !recv) faults.add("connect and accept do not come together after a while alone");
  if (recv) alone.calls().closeRecv(recv);
  if (send) alone.calls().closeSend(send);
  alone.calls().closeListen(listener);
  return "";
}

// The transport closes the listener as soon as accept is through, the probe at the end; peers close in any order.
std::string closingOrders(const CaseContext& context, Faults& faults) {
  Alone alone(context, faults);
  if (!alone.up()) return "";
  std::array<int, 3> order = {0, 1, 2};
  do {
    NetPair pair(alone.host(), alone.context(), 0, context.patience, faults, order[0] == 0);
    if (!pair.up()) return "";
    PairTraffic traffic(pair, Place::kHost, 4096);
    traffic.exchange(3000, 7, context.patience);
    if (order[2] == 0) traffic.exchange(100, 7, context.patience);
    traffic.deregister();
    for (const int what : order) what == 0 ? pair.closeListen() : what == 1 ? pair.closeSend() : pair.closeRecv();
  } while (std::next_permutation(order.begin(), order.end()));
  return "";
}

std::string manyConnections(const CaseContext& context, Faults& faults) {
  TrafficPlan plan;
  plan.ranks = 3;
  for (int from = 0; from < 3; from++)
    for (int to = 0; to < 3; to++)
      if (from != to) addLinks(plan, from, to, 8, 6, 4096);
  runAsThreads(context, plan, faults);
  return "";
}

constexpr NetCase kCases[] = {
    {"self-connection", "connect and accept to oneself in one thread, 2 MiB registered on both", selfConnection},
    {"accept-before-connect", "accept says not yet, and a listener that nobody used closes", acceptBeforeConnect},
    {"connect-before-accept", "connect says not yet as long as the peer is busy", connectBeforeAccept},
    {"closing-orders", "listener, sender and receiver close in any order; data flows without the listener",
     closingOrders},
    {"many-connections", "48 connections come up at once, none waiting for another", manyConnections},
};

}  // namespace

std::span<const NetCase> connectionCases() { return kCases; }

}  // namespace polyrail::contract
