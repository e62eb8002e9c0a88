// SPDX-License-Identifier: Apache-2.0
// NCCL's receiving proxy for one connection (src/transport/net.cc recvProxyProgress, 2.30.7): one irecv for all subs
// that still have a step, up to kSteps groups in flight, test of the oldest, a flush of GPU memory, irecvConsumed,
// and the buffer is handed back, here poisoned and watched for late writes. Every byte is compared with the plan;
// lines with flags are looked at the moment they appear, as a GPU does. One progress thread.
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
  // The last look for late writes, then deregMr.
  bool deregister();
  // Slots of the first sub, for who registers them a second time.
  const Memory& memory() const { return slots_[0]->memory; }

 private:
  struct Group {
    std::vector<size_t> members;  // indices of subs
    void* request = nullptr;      // of irecv, then of iflush; the old one is what the next irecv finds
    void* received = nullptr;     // for irecvConsumed
    bool flushing = false;
    std::array<int, nccl::kNetMaxGroup> sizes = {};
    std::vector<bool> linesSeen = {};
  };
  Group& group(size_t step) { return groups_[step % kSteps]; }
  bool post();
  void gather(Group& g);
  bool receive();
  bool finish();
  void startFlush(Group& g);
  bool flushed(Group& g);
  void check(Group& g);
  void checkMember(const Group& g, size_t place);
  void lookAtLines(size_t step);
  bool linesAreThere(const Group& g) const;
  void handBack(Group& g);
  bool fail(const char* call, nccl::Result result);
  size_t sizeOf(size_t sub, size_t step) const { return plan_.subs[sub].sizes[step]; }

  const NetCalls& calls_;
  void* comm_;
  const LinkPlan& plan_;
  Faults& faults_;
  std::vector<std::unique_ptr<Slots>> slots_;
  std::array<Group, kSteps> groups_;
  // The arguments of irecv, and of iflush: the same buffers.
  std::array<void*, nccl::kNetMaxGroup> data_, mhandles_, phandles_;
  std::array<size_t, nccl::kNetMaxGroup> capacities_;
  std::array<int, nccl::kNetMaxGroup> tags_;
  size_t steps_ = 0, posted_ = 0, received_ = 0, done_ = 0;
  bool failed_ = false;
};

}  // namespace polyrail::contract
