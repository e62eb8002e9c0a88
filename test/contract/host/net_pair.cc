// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/net_pair.h"

#include <fmt/format.h>

#include <cstring>
#include <thread>
#include <utility>

#include "test/contract/host/call_watch.h"
#include "test/contract/host/limits.h"

namespace polyrail::contract {

NetPair::NetPair(const NetHost& host, void* context, int device, std::chrono::milliseconds patience, Faults& faults,
                 bool closeListenerEarly)
    : host_(host), context_(context), device_(device), faults_(faults) {
  std::memset(handle_, 0xa5, sizeof(handle_));
  if (!succeeded("listen", host.calls().listen(context, device, handle_, &listen_))) return;
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!up() && step(closeListenerEarly)) {
    std::this_thread::yield();
    if (std::chrono::steady_clock::now() < end) continue;
    faults.add("a communicator cannot connect to itself");
    break;
  }
}

bool NetPair::step(bool closeListenerEarly) {
  const CallWatch watch;
  nccl::NetCommConfig config = host_.config();
  if (!send_ && !succeeded("connect", calls().connect(context_, device_, &config, handle_, &send_, nullptr)))
    return false;
  if (!recv_ && !succeeded("accept", calls().accept(listen_, &recv_, nullptr))) return false;
  if (watch.blocked() > mayBlock()) faults_.add("connect or accept blocked while the other end waited for its turn");
  if (recv_ && closeListenerEarly) closeListen();
  return true;
}

bool NetPair::succeeded(const char* call, nccl::Result result) {
  if (result == nccl::Result::kSuccess) return true;
  faults_.add(fmt::format("{} returned {}", call, static_cast<int>(result)));
  return false;
}

void NetPair::shut(const char* call, const std::function<nccl::Result(void*)>& function, void*& comm) {
  if (comm) succeeded(call, function(std::exchange(comm, nullptr)));
}

}  // namespace polyrail::contract
