// SPDX-License-Identifier: Apache-2.0
// The connections of a context that connect has begun and not ended, by the memory of NCCL's handle, with which it
// calls again. NCCL gives up without a word: a dial that nobody turns any more is handed out to be ended. Any thread;
// a dial itself belongs to whoever calls connect with its handle.
#pragma once

#include <map>
#include <memory>

#include "common/mutex.h"
#include "common/nccl/net_types.h"
#include "net/connect/handshake.h"
#include "net/plugin/handle.h"

namespace polyrail::net {

struct Dial {
  Handle handle;
  int device = 0;
  int64_t begun = 0;                         // ns
  std::unique_ptr<SendHandshake> handshake;  // null: to be dialed, again or for the first time
  int64_t attempts = 0, notBefore = 0;
  int trafficClass = nccl::kNetUndefined;
};

class Dials {
 public:
  // The dial that goes with this memory; a new one when there is none, or when the memory has another content now:
  // the old one was given up.
  std::shared_ptr<Dial> at(const void* memory, const Handle& handle, int device, int64_t now);
  void end(const void* memory);
  // One that has not been asked for since `before`, no longer kept here; or null.
  std::shared_ptr<Dial> takeAbandoned(int64_t before);

 private:
  struct Kept {
    std::shared_ptr<Dial> dial;
    int64_t asked = 0;
  };
  Mutex mutex_;
  std::map<const void*, Kept> kept_;
};

}  // namespace polyrail::net
