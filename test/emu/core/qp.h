// SPDX-License-Identifier: Apache-2.0
// A queue pair: its attributes, its send and receive queues, and where the two directions of its connection stand.
// The send queue is a ring with four marks: freed <= una <= next <= posted (all count work requests since the last
// reset). The functions are in qp_*.cc (calls), requester.cc, responder.cc and completer.cc (the wire). All run under
// the World's lock.
#pragma once

#include <infiniband/verbs.h>

#include <deque>
#include <vector>

#include "test/emu/core/objects.h"
#include "test/emu/core/packet.h"

namespace polyrail::emu {

class Port;

struct SendWqe {
  uint64_t wrId = 0;
  ibv_wr_opcode opcode = IBV_WR_SEND;
  unsigned flags = 0;  // ibv_send_flags
  bool signaled = false;
  std::vector<ibv_sge> sges;
  std::vector<uint8_t> inlineData;
  uint64_t length = 0, remoteAddress = 0, compareAdd = 0, swap = 0;
  uint32_t rkey = 0, immediate = 0;
  const Ah* ah = nullptr;
  uint32_t remoteQpn = 0, remoteQkey = 0;

  bool started = false;  // has its packet numbers
  uint64_t firstPsn = 0;
  uint32_t packets = 1;
  uint64_t sent = 0, acked = 0;  // payload bytes; for a READ, `acked` are bytes received
  bool responded = false;        // READ or atomic has its answer
  ibv_wc_status localError = IBV_WC_SUCCESS;
  Time posted = 0;
};

// Answers that must leave in order: READ and atomic responses, and acknowledgements behind them.
struct Response {
  PacketKind kind = PacketKind::kAck;
  uint64_t psn = 0;  // of the next packet to send
  uint64_t address = 0, length = 0, sent = 0;
  uint32_t rkey = 0;
  uint64_t value = 0;
};

struct AtomicResult {
  uint64_t psn, value;
};

struct Qp {
  ibv_qp_ex face{};
  World* world = nullptr;
  Context* context = nullptr;
  Pd* pd = nullptr;
  Cq *sendCq = nullptr, *recvCq = nullptr;
  Srq* srq = nullptr;
  Port* port = nullptr;  // set by INIT
  uint64_t uid = 0;      // never reused, unlike the number
  uint32_t qpn = 0;
  ibv_qp_type type = IBV_QPT_RC;
  ibv_qp_state state = IBV_QPS_RESET;
  ibv_qp_attr attr{};  // as last set; ibv_query_qp answers from it
  ibv_qp_cap cap{};
  bool signalAll = false;
  ibv_ece ece{};            // what it can; from RTR on what is in use
  ibv_ece wantedEce{};      // ibv_set_ece
  uint32_t targetPort = 0;  // World's number of the port that the address leads to
  ibv_gid sourceGid{};

  std::vector<SendWqe> ring;
  uint64_t freed = 0, una = 0, next = 0, posted = 0;
  uint64_t nextPsn = 0;
  int64_t inFlight = 0;  // payload bytes sent and not acknowledged
  int readsOut = 0;      // READs and atomics without an answer
  int retriesLeft = 0, rnrLeft = 0;
  Time rnrUntil = 0;
  Time oldestSent = 0;  // when the timer of the oldest packet on the way started
  bool timerSet = false;
  bool asked = false;      // the timer ran out, and the other process has yet to say that it has got so far
  Time askedFor = 0;       // oldestSent then
  uint32_t askNumber = 0;  // tells answers apart
  bool goingBack = false;  // asked for again since the last progress; a stale answer asks no second time
  bool inReady = false;    // waits for its port

  std::deque<RecvWqe> recvs;
  uint64_t expectedPsn = 0;
  bool nakSent = false;
  bool receiving = false;  // a SEND (or UC message) is in the middle
  RecvWqe current;
  std::deque<Response> responses;
  std::deque<AtomicResult> atomics;
  struct Deferred {  // placement that a fault put off
    Packet* packet;
  };
  std::vector<Deferred> deferred;
  int64_t pendingFlushes = 0;

  std::vector<ibv_send_wr> batch;  // between ibv_wr_start and ibv_wr_complete
  std::deque<std::vector<ibv_sge>> batchSges;
  std::deque<std::vector<uint8_t>> batchInline;
  int batchError = 0;

  SendWqe& wqe(uint64_t index) { return ring[index % ring.size()]; }
  bool outstanding() const { return next > una || inFlight > 0; }  // something has no answer yet
  uint64_t mtu() const { return 128u << attr.path_mtu; }
};

struct QpRequest {
  Cq *sendCq, *recvCq;
  Srq* srq;
  ibv_qp_cap cap;
  ibv_qp_type type;
  bool signalAll;
};
int makeQp(Pd* pd, const QpRequest& request, Qp** out);
int dropQp(Qp* qp);
int modifyQp(Qp* qp, const ibv_qp_attr& attr, int mask);
int postSend(Qp* qp, ibv_send_wr* wr, ibv_send_wr** bad);
int postRecv(Qp* qp, ibv_recv_wr* wr, ibv_recv_wr** bad);

// Whether the attributes of a transition are those that the specification wants (qp_attributes.cc).
bool transitionAllowed(ibv_qp_type type, ibv_qp_state from, ibv_qp_state to, int mask);

// requester.cc: whether there is something to send now, and the next packet (null: nothing after all).
bool canSend(const Qp& qp, Time now);
Packet* nextPacket(Qp* qp, Time now);
bool checkLocalKeys(const Qp& qp, const SendWqe& wqe);
void resend(Qp* qp);  // go back to the oldest unacknowledged packet
// completer.cc
void handleReply(Qp* qp, Packet* packet);
void retry(Qp* qp);  // sends again what has no answer, or gives up
// silence.cc
void handleTimer(Qp* qp, Time now);
void startTimer(Qp* qp, Time from);
void handleAnswer(Qp* qp, uint32_t number);
void failOldest(Qp* qp, ibv_wc_status status);  // completes it with that status and breaks the queue pair
void finishSend(Qp* qp, SendWqe* wqe, ibv_wc_status status);
void flushWork(Qp* qp);  // everything outstanding ends as WR_FLUSH_ERR
void breakQp(Qp* qp);    // to ERR, then flush
// responder.cc
void handleRequest(Qp* qp, Packet* packet);
// datagram.cc
void handleDatagram(Qp* qp, Packet* packet);

}  // namespace polyrail::emu
