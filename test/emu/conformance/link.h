// SPDX-License-Identifier: Apache-2.0
// Two connected queue pairs on two devices of this process, on whatever libibverbs is loaded: the emulator or the
// kernel's Soft-RoCE. Only public verbs; waiting is polling with a deadline. Failures are exceptions of type Failure,
// which end the case. One thread.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace polyrail::conformance {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void check(bool good, const std::string& what);
template <typename A, typename B>
void same(const A& a, const B& b, const std::string& what) {
  if (!(a == b)) throw Failure(what + ": " + std::to_string(a) + " instead of " + std::to_string(b));
}

struct Rails {
  std::string first, second;
  int gidIndex = 1;
};

struct LinkOptions {
  ibv_qp_type type = IBV_QPT_RC;
  uint32_t sendDepth = 64, recvDepth = 64;
  int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
  uint8_t timeout = 12, retry = 3, rnrRetry = 3;
  bool srq = false, connected = true;
};

class End {
 public:
  End(const std::string& device, int gidIndex, const LinkOptions& options);
  ~End();
  End(const End&) = delete;
  End& operator=(const End&) = delete;

  int init();
  int toReceive(const End& peer, uint32_t peerQpn);
  int toSend();
  int to(ibv_qp_state state);
  ibv_qp_state state() const;

  ibv_sge sge(uint64_t offset, uint32_t length) const;
  ibv_send_wr request(uint64_t id, ibv_wr_opcode opcode, const End& peer, ibv_sge* list, int count) const;
  int post(ibv_send_wr* wr) const;
  int send(uint64_t id, uint32_t length, unsigned flags = IBV_SEND_SIGNALED) const;
  int write(uint64_t id, const End& peer, uint32_t length, unsigned flags = IBV_SEND_SIGNALED) const;
  int receive(uint64_t id, uint32_t length, uint64_t offset = 0) const;
  // Polls until `count` completions are there; fewer when the time is over.
  std::vector<ibv_wc> wait(size_t count, double seconds = 20) const;

  LinkOptions options;
  std::vector<uint8_t> memory;
  ibv_context* context = nullptr;
  ibv_pd* pd = nullptr;
  ibv_mr* mr = nullptr;
  ibv_comp_channel* channel = nullptr;
  ibv_cq* cq = nullptr;
  ibv_srq* srq = nullptr;
  ibv_qp* qp = nullptr;
  ibv_gid gid{};
  int gidIndex;
};

struct Link {
  Link(const Rails& rails, const LinkOptions& options = {});
  End a, b;
};

struct Case {
  const char* name;
  void (*run)(const Rails& rails);
};

const std::vector<Case>& transferCases();
const std::vector<Case>& ruleCases();
const std::vector<Case>& objectCases();

}  // namespace polyrail::conformance
