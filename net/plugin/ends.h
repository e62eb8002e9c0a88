// SPDX-License-Identifier: Apache-2.0
// The comm ends of a process that NCCL has not closed, so that an event of a NIC finds those whom it concerns. Owned
// by the Library. Any thread; an end removes itself before it begins to die, and no verb is called under the lock.
#pragma once

#include <string>
#include <vector>

#include "common/mutex.h"
#include "net/verbs/verbs.h"

namespace polyrail::net {

class CommEnd;
class OpenDevice;

class Ends {
 public:
  void add(CommEnd* end);
  void remove(CommEnd* end);
  // Ends every comm whose NIC, completion queue or queue pair the event is about and that cannot repair it; NCCL's
  // next call on it returns ncclSystemError with `why`. How many.
  size_t condemn(const ibv_async_event& event, const OpenDevice& device, const std::string& why);

 private:
  Mutex mutex_;
  std::vector<CommEnd*> ends_;
};

}  // namespace polyrail::net
