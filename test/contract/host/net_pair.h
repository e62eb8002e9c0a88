// SPDX-License-Identifier: Apache-2.0
// A connection of a communicator to itself, made as NCCL's GPUDirect probe makes it: listen, then connect and accept
// in turn in one thread until both are there (src/plugin/net.cc, 2.30.7). Closed by close(), or with the object.
#pragma once

#include "test/contract/host/faults.h"
#include "test/contract/host/net_host.h"

namespace polyrail::contract {

class NetPair {
 public:
  // What goes wrong is told to `faults`; then up() is false.
  NetPair(const NetHost& host, void* context, int device, std::chrono::milliseconds patience, Faults& faults);
  ~NetPair() { close(); }
  NetPair(const NetPair&) = delete;
  NetPair& operator=(const NetPair&) = delete;

  bool up() const { return send_ && recv_; }
  void* send() const { return send_; }
  void* recv() const { return recv_; }
  void close();

 private:
  bool step();
  bool succeeded(const char* call, nccl::Result result);

  const NetHost& host_;
  void* context_;
  int device_;
  Faults& faults_;
  char handle_[nccl::kNetHandleBytes] = {};
  void* listen_ = nullptr;
  void* send_ = nullptr;
  void* recv_ = nullptr;
};

}  // namespace polyrail::contract
