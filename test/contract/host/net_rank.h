// SPDX-License-Identifier: Apache-2.0
// One rank of a communicator as NCCL runs it: its service thread (the caller) listens, connects and accepts all its
// connections in turn without ever waiting for one, registers, and closes; its progress thread moves the data. Ranks
// may be threads that share a host, or processes with a host each; they meet in a Meeting.
#pragma once

#include <memory>
#include <vector>

#include "test/contract/host/limits.h"
#include "test/contract/host/meeting.h"
#include "test/contract/host/net_host.h"
#include "test/contract/host/recv_proxy.h"
#include "test/contract/host/send_proxy.h"

namespace polyrail::contract {

// Owned by the rank; null until they are there.
struct Connection {
  const LinkPlan* plan;
  int index;  // in the traffic plan
  bool incoming;
  alignas(16) char handle[nccl::kNetHandleBytes];  // the same memory for every call of connect
  bool haveHandle = false;
  void* listenComm = nullptr;
  void* comm = nullptr;
  std::unique_ptr<SendProxy> send = nullptr;
  std::unique_ptr<RecvProxy> recv = nullptr;
};

class NetRank {
 public:
  NetRank(NetHost& host, Meeting& meeting, const TrafficPlan& plan, int rank);
  NetRank(const NetRank&) = delete;
  NetRank& operator=(const NetRank&) = delete;

  // Everything from init to finalize. Faults go to the meeting.
  void run();

  // The same in steps, for what goes wrong on purpose. False when the run is over.
  bool join();
  bool connectAll();
  void prepareBuffers();
  // Rounds of progress in a thread of their own until all is moved, or `until` says so. True when all is moved.
  bool moveData(const std::function<bool()>& until = {});
  void closeAll();
  void leave();
  std::vector<Connection>& connections() { return connections_; }

 private:
  bool listenAll();
  bool connectOnce(Connection& c);
  bool acceptOnce(Connection& c);
  void checked(const char* call, std::chrono::milliseconds limit, const std::function<nccl::Result()>& body);
  struct Round {
    bool moved = false, whole = true, failed = false;
  };
  Round round();
  bool progress(const std::function<bool()>& until);
  void registerMeanwhile(const std::atomic<bool>& stop);
  void registerAgain(Connection& c, const Memory& inUse);
  // setNetAttr: with attributes that are known, as for a transfer, or not yet, as for a connection.
  void hint(bool known);
  std::string who() const;

  NetHost& host_;
  Meeting& meeting_;
  const TrafficPlan& plan_;
  const int rank_;
  void* context_ = nullptr;
  bool joined_ = false;
  std::vector<Connection> connections_;
};

}  // namespace polyrail::contract
