// SPDX-License-Identifier: Apache-2.0
// A connection of a communicator to itself, made as NCCL's GPUDirect probe makes it: listen, then connect and accept
// in turn in one thread until both are there, with a handle that holds rubbish before listen and no place for a
// device handle (src/plugin/net.cc, 2.30.7). Closed by close(), or with the object. One thread.
#pragma once

#include "test/contract/host/faults.h"
#include "test/contract/host/net_host.h"

namespace polyrail::contract {

class NetPair {
 public:
  // What goes wrong is told to `faults`; then up() is false. closeListenerEarly: as the transport does, the moment
  // accept has given a comm, whether connect is through or not.
  NetPair(const NetHost& host, void* context, int device, std::chrono::milliseconds patience, Faults& faults,
          bool closeListenerEarly = false);
  ~NetPair() { close(); }
  NetPair(const NetPair&) = delete;
  NetPair& operator=(const NetPair&) = delete;

  bool up() const { return send_ && recv_; }
  const NetCalls& calls() const { return host_.calls(); }
  Faults& faults() const { return faults_; }
  void* send() const { return send_; }
  void* recv() const { return recv_; }
  // Each does nothing the second time.
  void closeSend() { shut("closeSend", calls().closeSend, send_); }
  void closeRecv() { shut("closeRecv", calls().closeRecv, recv_); }
  void closeListen() { shut("closeListen", calls().closeListen, listen_); }
  void close() { closeRecv(), closeSend(), closeListen(); }

 private:
  bool step(bool closeListenerEarly);
  bool succeeded(const char* call, nccl::Result result);
  void shut(const char* call, const std::function<nccl::Result(void*)>& function, void*& comm);

  const NetHost& host_;
  void* context_;
  int device_;
  Faults& faults_;
  alignas(16) char handle_[nccl::kNetHandleBytes];
  void* listen_ = nullptr;
  void* send_ = nullptr;
  void* recv_ = nullptr;
};

}  // namespace polyrail::contract
