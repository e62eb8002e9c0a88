// SPDX-License-Identifier: Apache-2.0
// One copy of NCCL as a net plugin sees it: loads the plugin, initialises it for each communicator as the version
// asks (src/plugin/net.cc, 2.30.7: from v11 on every time, before that while none is alive), finalises, unloads. Two
// hosts on one file are two NCCLs in one process, each with its own logger. With `fused`, the first communicator
// makes one virtual NIC of those devices, and device 0 of listen and connect is that one. join() and leave() may come
// from any thread; load() and unload() are the owner's.
#pragma once

#include <memory>
#include <mutex>

#include "test/contract/host/log_sink.h"
#include "test/contract/host/net_calls.h"

namespace polyrail::contract {

class NetHost {
 public:
  static Result<std::unique_ptr<NetHost>> load(const std::string& plugin, int newestAbi, std::vector<int> fused = {});

  const NetCalls& calls() const { return calls_; }
  const LogSink& log() const { return *log_; }
  // Of the machine; virtual ones that makeVDevice made come after them.
  int devices() const { return devices_; }
  // REQUIRES: a communicator has joined. maxRecvs as NCCL uses it.
  nccl::NetPropertiesV12 properties(int device) const;

  // A communicator begins: the context for listen and connect. An error disables the plugin in NCCL.
  Result<void*> join(uint64_t commId);
  nccl::Result leave(void* context);
  // dlclose. REQUIRES: everybody left.
  void unload() { library_.close(); }

  nccl::NetCommConfig config() const { return {nccl::kNetUndefined}; }

 private:
  NetHost(Library library, NetCalls calls, std::vector<int> fused)
      : library_(std::move(library)), calls_(std::move(calls)), fused_(std::move(fused)) {}
  Status fuse();
  Library library_;
  NetCalls calls_;
  std::vector<int> fused_;
  std::unique_ptr<LogSink> log_ = std::make_unique<LogSink>();
  std::mutex mutex_;  // NCCL's netPluginMutex
  int communicators_ = 0;
  int devices_ = 0;
};

}  // namespace polyrail::contract
