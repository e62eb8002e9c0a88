// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/net_pair.h"

#include <fmt/format.h>

#include <thread>

#include "test/contract/host/call_watch.h"
#include "test/contract/host/net_rank.h"

namespace polyrail::contract {

NetPair::NetPair(const NetHost& host, void* context, int device, std::chrono::milliseconds patience, Faults& faults)
    : host_(host), context_(context), device_(device), faults_(faults) {
  if (!succeeded("listen", host.calls().listen(context, device, handle_, &listen_))) return;
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!up() && step()) {
    std::this_thread::yield();
    if (std::chrono::steady_clock::now() < end) continue;
    faults.add("a communicator cannot connect to itself");
    break;
  }
}

bool NetPair::step() {
  const CallWatch watch;
  nccl::NetCommConfig config = host_.config;
  if (!send_ && !succeeded("connect", host_.calls().connect(context_, device_, &config, handle_, &send_)))
    return false;
  if (!recv_ && !succeeded("accept", host_.calls().accept(listen_, &recv_))) return false;
  if (watch.blocked() > kMayBlock) faults_.add("connect or accept blocked while the other end waited for its turn");
  return true;
}

bool NetPair::succeeded(const char* call, nccl::Result result) {
  if (result == nccl::Result::kSuccess) return true;
  faults_.add(fmt::format("{} returned {}", call, static_cast<int>(result)));
  return false;
}

void NetPair::close() {
  const NetCalls& calls = host_.calls();
  if (recv_) succeeded("closeRecv", calls.closeRecv(recv_));
  if (send_) succeeded("closeSend", calls.closeSend(send_));
  if (listen_) succeeded("closeListen", calls.closeListen(listen_));
  recv_ = send_ = listen_ = nullptr;
}

}  // namespace polyrail::contract
