// SPDX-License-Identifier: Apache-2.0
// Two queue pairs of two hosts, connected, with a registered buffer each: what most tests of the emulator start from.
// Everything goes through the public verbs; the Simulation gives the time.
#pragma once

#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <string>
#include <vector>

#include "test/emu/core/guarded_buffer.h"
#include "test/emu/verbs/simulation.h"

namespace polyrail::emu {

struct PairOptions {
  ibv_qp_type type = IBV_QPT_RC;
  uint32_t sendDepth = 64, recvDepth = 64, cqDepth = 256, inlineBytes = 64;
  uint32_t maxSge = 4;
  uint8_t timeout = 14, retry = 3, rnrRetry = 3;
  ibv_mtu mtu = IBV_MTU_4096;
  int gidIndex = 3;
  size_t bytes = 1 << 20;
  int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
  bool srq = false, signalAll = false;
};

// One end. Members are public: tests poke at them.
struct End {
  End(Simulation& sim, const std::string& host, const PairOptions& options, const std::string& nic = "emu0");
  ~End();
  End(const End&) = delete;

  int connect(const End& peer, uint32_t psn = 100, uint32_t peerPsn = 100);  // to RTS; first errno
  int reset() { return toState(IBV_QPS_RESET); }
  int toState(ibv_qp_state state);
  ibv_qp_state state();

  int write(uint64_t id, End& peer, size_t length, uint64_t offset = 0, unsigned flags = IBV_SEND_SIGNALED);
  int writeImm(uint64_t id, End& peer, size_t length, uint32_t imm, uint64_t offset = 0);
  int read(uint64_t id, End& peer, size_t length, uint64_t offset = 0);
  int send(uint64_t id, size_t length, unsigned flags = IBV_SEND_SIGNALED);
  int recv(uint64_t id, size_t length, uint64_t offset = 0);
  int post(ibv_send_wr* wr);
  ibv_send_wr wr(uint64_t id, ibv_wr_opcode opcode, End& peer, ibv_sge* sge);
  std::vector<ibv_wc> poll(int most = 64);
  std::vector<ibv_event_type> events();

  Simulation& sim;
  PairOptions options;
  GuardedBuffer buffer;
  ibv_context* context = nullptr;
  ibv_pd* pd = nullptr;
  ibv_mr* mr = nullptr;
  ibv_comp_channel* channel = nullptr;
  ibv_cq* cq = nullptr;
  ibv_srq* srq = nullptr;
  ibv_qp* qp = nullptr;
};

struct Pair {
  explicit Pair(const PairOptions& options = {}, Fabric fabric = defaultFabric(), FaultScript faults = {},
                bool connected = true);
  // Runs until the end has `count` completions, and returns them; fewer when virtual time runs out.
  std::vector<ibv_wc> wait(End& end, size_t count, Time limit = 10'000'000'000);

  Simulation sim;
  End a, b;
};

// A fault script from its JSON list.
FaultScript faults(const std::string& list);
std::vector<std::string> statuses(const std::vector<ibv_wc>& wcs);

}  // namespace polyrail::emu
