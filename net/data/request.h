// SPDX-License-Identifier: Apache-2.0
// What isend, irecv and iflush hand out, and the one test for all of them. A request lives in its comm's tables and
// is the caller's until test() says done; then it may be handed out again. Calls on one comm come from one thread at
// a time (NCCL's progress thread); no call blocks, allocates, locks or logs unless it returns an error.
#pragma once

#include <cstdint>

namespace polyrail::net {

// Adapters turn it into ncclResult_t.
enum class Outcome : uint8_t { kOk, kRemoteError, kSystemError, kInternalError, kInvalidUsage };

struct Request {
  enum class Kind : uint8_t { kSend, kReceive, kFlush };
  Kind kind = Kind::kSend;
  void* comm = nullptr;   // SendComm or RecvComm
  void* event = nullptr;  // whoever hands requests on may keep a word here; the comm leaves it alone
};

// `*done` is 0 or 1. When 1, `sizes` (may be null) has the bytes of the send, or of each request of the receive;
// what an int cannot hold is INT_MAX. An error means that the comm is lost; its error() says why.
Outcome test(Request* request, int* done, int* sizes);

}  // namespace polyrail::net
