// SPDX-License-Identifier: Apache-2.0
// What NCCL holds as listenComm: a door, and the callers that stand in it. Whoever does not show the secret is turned
// away and costs a socket for a while; the first that does becomes the comm. NCCL closes the listener as soon as it
// has its comm. One thread at a time.
#pragma once

#include <memory>
#include <vector>

#include "net/plugin/context.h"

namespace polyrail::net {

class Listener {
 public:
  // Writes the handle. `context` outlives it.
  static Result<std::unique_ptr<Listener>> create(Context& context, int device, void* handle);

  const Log& log() const { return context_.log(); }
  // Called again until *end is set.
  Verdict accept(std::unique_ptr<CommEnd>* end);

 private:
  // Strangers must not be able to fill the process's table of files, nor to keep the peer out: when it is full, who
  // has waited longest without showing the secret makes room.
  static constexpr size_t kMaxCallers = 16;

  Listener(Context& context, int device, std::unique_ptr<Door> door)
      : context_(context), device_(device), door_(std::move(door)) {}
  Status admitCallers();
  bool makeRoom();
  // False: turned away.
  Result<bool> hear(ReceiveHandshake& caller);
  Verdict advance(ReceiveHandshake& caller, std::unique_ptr<CommEnd>* end);

  Context& context_;
  const int device_;
  Secret secret_{};
  std::unique_ptr<Door> door_;
  std::vector<std::unique_ptr<ReceiveHandshake>> callers_;
};

}  // namespace polyrail::net
