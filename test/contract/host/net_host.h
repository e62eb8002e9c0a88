// SPDX-License-Identifier: Apache-2.0
// One copy of NCCL as a net plugin sees it: loads the plugin, initialises it for each communicator as the version
// asks (src/plugin/net.cc, 2.30.7: from v11 on every time, before that while none is alive), finalises, unloads. Two
// hosts on one file are two NCCLs in one process. join() and leave() may come from any thread; load() and unload()
// are the owner's.
#pragma once

#include <memory>
#include <mutex>

#include "test/contract/host/net_calls.h"

namespace polyrail::contract {

class NetHost {
 public:
  static Result<std::unique_ptr<NetHost>> load(const std::string& plugin, nccl::LogFunction log, int newestAbi = 99);

  const NetCalls& calls() const { return calls_; }
  const Library& library() const { return library_; }
  int devices() const { return devices_; }
  // REQUIRES: a communicator has joined. Clamped as NCCL uses it.
  nccl::NetPropertiesV12 properties(int device) const;

  // A communicator begins: the context for listen and connect. An error disables the plugin in NCCL.
  Result<void*> join(uint64_t commId);
  nccl::Result leave(void* context);
  // dlclose. REQUIRES: everybody left.
  void unload() { library_.close(); }

  nccl::NetCommConfig config = {nccl::kNetUndefined};

 private:
  NetHost(Library library, NetCalls calls, nccl::LogFunction log)
      : library_(std::move(library)), calls_(std::move(calls)), log_(log) {}
  Library library_;
  NetCalls calls_;
  nccl::LogFunction log_;
  std::mutex mutex_;  // NCCL's netPluginMutex
  int communicators_ = 0;
  int devices_ = 0;
};

}  // namespace polyrail::contract
