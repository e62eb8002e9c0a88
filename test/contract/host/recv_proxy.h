// SPDX-License-Identifier: Apache-2.0
// NCCL's receiving proxy for one connection (src/transport/net.cc recvProxyProgress, 2.30.7): one irecv for all subs
// that still have a step, up to kSteps groups in flight, test of the oldest, a flush whose sizes do not pair with its
// buffers, irecvConsumed, and the buffer is handed back, here poisoned and watched for late writes. Every byte is
// compared with the plan. One progress thread.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "test/contract/host/faults.h"
#include "test/contract/host/slots.h"

namespace polyrail::contract {

class RecvProxy {
 public:
  RecvProxy(const NetCalls& calls, void* comm, const LinkPlan& plan, Faults& faults);

  bool progress();
  bool finished() const { return done_ == steps_; }
  bool failed() const { return failed_; }
  size_t outstanding() const { return posted_ - received_; }
  // The last look for late writes, then deregMr.
  bool deregister();

 private:
  struct Group {
    std::vector<size_t> members;  // indices of subs
    void* request = nullptr;
    void* flush = nullptr;
    std::array<int, nccl::kNetMaxGroup> sizes = {};
  };
  Group& group(size_t step) { return groups_[step % kSteps]; }
  bool post();
  bool receive();
  bool finishFlush();
  void arrived(Group& group);
  void startFlush(Group& group);
  bool linesAreThere(const Group& group);
  void checkMember(const Group& group, size_t place);
  void handBack(Group& group);
  bool fail(const char* call, nccl::Result result);
  size_t sizeOf(size_t sub, size_t step) const { return plan_.subs[sub].sizes[step]; }

  const NetCalls& calls_;
  void* comm_;
  const LinkPlan& plan_;
  Faults& faults_;
  std::vector<std::unique_ptr<Slots>> slots_;
  std::array<Group, kSteps> groups_;
  size_t steps_ = 0, posted_ = 0, received_ = 0, done_ = 0;
  bool failed_ = false;
};

}  // namespace polyrail::contract
