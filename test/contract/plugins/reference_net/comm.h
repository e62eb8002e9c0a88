// SPDX-License-Identifier: Apache-2.0
// The reference net plugin: plain TCP on 127.0.0.1, as simple as the contract allows. One stream a comm; the receiver
// grants each posted receive to the sender, the sender answers a grant with one message, the receiver acknowledges
// it. So isend has nothing to do until a matching receive is posted, and a send is done when it has arrived. Each
// comm is used by one progress thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "common/nccl/net_types.h"
#include "common/nccl/result.h"

namespace reference {

inline constexpr int kMaxRecvs = 8;
inline constexpr int kMaxGroups = 32;

// A registration. Data of a request must lie inside it.
struct Mr {
  char* data;
  size_t size;
  bool covers(const void* from, size_t bytes) const {
    const char* at = static_cast<const char*>(from);
    return at >= data && bytes <= size && static_cast<size_t>(at - data) <= size - bytes;
  }
};

// On the wire, in host order: both ends are this machine.
struct Record {  // receiver to sender
  enum Kind : uint32_t { kGrant, kAck } kind;
  uint32_t group;
  uint32_t member;
  int32_t tag;
  uint64_t capacity;
};
struct Header {  // sender to receiver, followed by `size` bytes
  uint32_t group;
  uint32_t member;
  uint64_t size;
};

// A non-blocking socket, owned. Reading and writing return false when the peer is gone.
class Stream {
 public:
  explicit Stream(int fd);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  int fd() const { return fd_; }
  // Adds to *done what could be moved now, up to size.
  bool readSome(void* data, size_t size, size_t* done);
  bool writeSome(const void* data, size_t size, size_t* done);
  void forget() { fd_ = -1; }

 private:
  int fd_;
};

class Comm;
struct Request {
  Comm* comm = nullptr;  // null: free
  bool done = false;
  int members = 0, arrived = 0;
  int sizes[kMaxRecvs] = {};
};

class Comm {
 public:
  explicit Comm(int fd) : stream(fd) {}
  virtual ~Comm() = default;
  virtual polyrail::nccl::Result progress() = 0;
  Stream stream;
};

class SendComm : public Comm {
 public:
  using Comm::Comm;
  // Null request: no receive for this tag is granted yet.
  polyrail::nccl::Result send(const char* data, size_t size, int tag, Request** request);
  polyrail::nccl::Result progress() override;

 private:
  struct Message {
    Header header;
    const char* data;
    size_t written;
    Request* request;
  };
  bool readRecords();
  bool writeMessages();
  void take(const Record& record);
  Request* freeRequest();

  std::deque<Record> grants_;
  std::deque<Message> queue_;  // to be written
  std::vector<Message> unacked_;
  Record incoming_ = {};
  size_t incomingBytes_ = 0;
  Request requests_[kMaxGroups * kMaxRecvs];
};

class RecvComm : public Comm {
 public:
  using Comm::Comm;
  polyrail::nccl::Result receive(int n, void** data, const size_t* sizes, const int* tags, Request** request);
  polyrail::nccl::Result progress() override;
  // What test reports for the group, and the group is free again.
  void finish(Request* request, int* sizes);

 private:
  struct Group {
    Request request;
    char* data[kMaxRecvs];
    size_t capacity[kMaxRecvs];
  };
  bool readMessages();
  bool writeRecords();
  void arrived();

  Group groups_[kMaxGroups];
  std::vector<char> outgoing_;
  size_t outgoingDone_ = 0;
  Header header_ = {};
  size_t headerBytes_ = 0, bodyBytes_ = 0;
};

}  // namespace reference
