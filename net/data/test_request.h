// SPDX-License-Identifier: Apache-2.0
// test() of request.h for callers to whom its call would cost too much. Same rules.
#pragma once

#include "net/data/recv_comm.h"
#include "net/data/send_comm.h"

namespace polyrail::net {

[[gnu::always_inline]] inline Outcome testInline(Request* request, int* done, int* sizes) {
  switch (request->kind) {
    case Request::Kind::kSend: return static_cast<SendComm*>(request->comm)->test(*request, done, sizes);
    case Request::Kind::kReceive: return static_cast<RecvComm*>(request->comm)->test(*request, done, sizes);
    case Request::Kind::kFlush: break;
  }
  return static_cast<RecvComm*>(request->comm)->testFlush(*request, done);
}

}  // namespace polyrail::net
