// SPDX-License-Identifier: Apache-2.0
// The net plugin that ships on null NICs, connected to itself through its newest table, in one thread: what its own
// system calls, control verbs and instructions are counted on. While a call runs, `running` names it, so that a
// tracer in another process can tell whose system call it sees.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "common/nccl/net_abi.h"
#include "common/status.h"

namespace polyrail::contract {

class PluginPair {
 public:
  // All `rails` NICs are one device. `running` (may be null) outlives the pair. `plugin`: below the build folder.
  PluginPair(unsigned rails, std::atomic<const char*>* running, const char* plugin = "libnccl-net-polyrail.so");
  ~PluginPair();
  PluginPair(const PluginPair&) = delete;
  PluginPair& operator=(const PluginPair&) = delete;

  // listen, then connect and accept in turn until both ends are there.
  Status connect();
  // Registers `bytes` at each end, then sends messages, `inFlight` (at most 32) at a time.
  Status enroll(size_t bytes);
  bool move(unsigned messages, unsigned inFlight, size_t size);
  Status close();
  // The NIC raises this ibv_event_type; returns when the plugin has taken it.
  Status event(int rail, int type);

  long mostVerbs() const { return mostVerbs_; }  // control verbs in one connect or accept

 private:
  static constexpr int kTries = 10'000;
  static constexpr unsigned kMost = 32;
  struct Scope;
  template <typename Call>
  Status checked(const char* name, Call&& call);
  // Calls until it is done; false: the call failed, or ten seconds passed.
  template <typename Done, typename Call>
  bool again(const char* name, Done&& done, Call&& call);
  bool finish(unsigned flight, size_t size);
  // Calls until there is a request.
  template <typename Post>
  void until(void** request, const char* name, Post&& post);

  std::atomic<const char*>* running_;
  void *library_ = nullptr, *verbs_ = nullptr;
  const nccl::NetV12* net_ = nullptr;
  void *context_ = nullptr, *listen_ = nullptr, *send_ = nullptr, *recv_ = nullptr;
  void *sendKey_ = nullptr, *recvKey_ = nullptr;
  int device_ = 0;
  std::vector<char> out_, in_;
  void *sends_[kMost] = {}, *receives_[kMost] = {};
  long mostVerbs_ = 0;
};

}  // namespace polyrail::contract
