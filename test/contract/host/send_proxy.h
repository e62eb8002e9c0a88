// SPDX-License-Identifier: Apache-2.0
// NCCL's sending proxy for one connection (src/transport/net.cc sendProxyProgress, 2.30.7): up to kSteps messages of
// each sub in flight, isend again with the same arguments while it gives no request, test of the oldest until it is
// done. *request holds a stale pointer on entry, as NCCL leaves it. A buffer is reused, here poisoned, as soon as its
// send is done. One progress thread.
#pragma once

#include <deque>
#include <memory>

#include "test/contract/host/faults.h"
#include "test/contract/host/slots.h"

namespace polyrail::contract {

class SendProxy {
 public:
  SendProxy(const NetCalls& calls, void* comm, const LinkPlan& plan, Faults& faults);

  // One round over all subs; true when something moved.
  bool progress();
  bool finished() const;
  // A plugin call failed: NCCL would leave its progress loop here.
  bool failed() const { return failed_; }
  bool deregister();
  // Slots of the first sub, for who registers them a second time.
  const Memory& memory() const { return subs_[0].slots->memory; }

 private:
  struct Sub {
    std::unique_ptr<Slots> slots;
    size_t filled = 0, sent = 0, done = 0;
    void* requests[kSteps] = {};
  };
  bool send(size_t index, Sub& sub);
  bool complete(size_t index, Sub& sub);
  void fill(size_t index, Sub& sub);

  const NetCalls& calls_;
  void* comm_;
  const LinkPlan& plan_;
  Faults& faults_;
  std::deque<Sub> subs_;
  bool failed_ = false;
};

}  // namespace polyrail::contract
