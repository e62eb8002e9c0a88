// SPDX-License-Identifier: Apache-2.0
#include "net/data/request.h"

#include "net/data/recv_comm.h"
#include "net/data/send_comm.h"

namespace polyrail::net {

Outcome test(Request* request, int* done, int* sizes) {
  switch (request->kind) {
    case Request::Kind::kSend: return static_cast<SendComm*>(request->comm)->test(*request, done, sizes);
    case Request::Kind::kReceive: return static_cast<RecvComm*>(request->comm)->test(*request, done, sizes);
    case Request::Kind::kFlush: break;
  }
  return static_cast<RecvComm*>(request->comm)->testFlush(*request, done);
}

}  // namespace polyrail::net
