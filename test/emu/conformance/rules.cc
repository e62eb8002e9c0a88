// SPDX-License-Identifier: Apache-2.0
// Cases: order, flow control, protection, and what an error leaves behind.
#include <cerrno>

#include "test/emu/conformance/link.h"

namespace polyrail::conformance {
namespace {

void statuses(const End& end, const std::vector<ibv_wc_status>& wanted, const std::string& what) {
  const auto got = end.wait(wanted.size());
  same(got.size(), wanted.size(), what + ": completions");
  for (size_t i = 0; i < got.size(); i++) same(int{got[i].status}, int{wanted[i]}, what + " " + std::to_string(i));
}

void order(const Rails& rails) {
  Link l(rails);
  for (uint64_t i = 0; i < 8; i++) {
    ibv_sge list = l.a.sge(0, i % 2 ? 8 : 200000);
    ibv_send_wr wr = l.a.request(i, i % 3 == 1 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE, l.b, &list, 1);
    same(l.a.post(&wr), 0, "post");
  }
  const auto done = l.a.wait(8);
  same(done.size(), 8u, "completions");
  for (uint64_t i = 0; i < 8; i++) same(done[i].wr_id, i, "order");
}

void unsignaled(const Rails& rails) {
  Link l(rails);
  for (uint64_t i = 0; i < 5; i++) same(l.a.write(i, l.b, 64, i == 4 ? unsigned{IBV_SEND_SIGNALED} : 0u), 0, "post");
  const auto done = l.a.wait(2, 1);
  same(done.size(), 1u, "completions");
  same(done[0].wr_id, 4u, "wr_id");
}

void sendQueueFull(const Rails& rails) {
  LinkOptions o;
  o.sendDepth = 4;
  o.rnrRetry = 7;
  Link l(rails, o);  // nothing is received, so nothing completes
  int error = 0;
  for (uint64_t i = 0; i < 5000 && !error; i++) error = l.a.send(i, 8);
  same(error, ENOMEM, "errno of a full send queue");
}

void receiverBecomesReady(const Rails& rails) {
  LinkOptions o;
  o.rnrRetry = 7;
  Link l(rails, o);
  same(l.a.send(1, 64), 0, "post");
  same(l.a.wait(1, 0.1).size(), 0u, "completions before the receive is there");
  same(l.b.receive(2, 64), 0, "post receive");
  statuses(l.a, {IBV_WC_SUCCESS}, "sender");
  statuses(l.b, {IBV_WC_SUCCESS}, "receiver");
}

void receiverNeverReady(const Rails& rails) {
  Link l(rails);
  same(l.a.send(1, 64), 0, "post");
  same(l.a.write(2, l.b, 64), 0, "post");
  statuses(l.a, {IBV_WC_RNR_RETRY_EXC_ERR, IBV_WC_WR_FLUSH_ERR}, "sender");
  same(int{l.a.state()}, int{IBV_QPS_ERR}, "sender's state");
  same(int{l.b.state()}, int{IBV_QPS_RTS}, "receiver's state");
}

void badRemoteKey(const Rails& rails) {
  Link l(rails);
  ibv_sge list = l.a.sge(0, 8);
  ibv_send_wr wr = l.a.request(1, IBV_WR_RDMA_WRITE, l.b, &list, 1);
  wr.wr.rdma.rkey += 0x100;
  same(l.a.post(&wr), 0, "post");
  statuses(l.a, {IBV_WC_REM_ACCESS_ERR}, "sender");
  same(int{l.a.state()}, int{IBV_QPS_ERR}, "sender's state");
  same(int{l.b.state()}, int{IBV_QPS_ERR}, "receiver's state");
}

void beyondTheRegion(const Rails& rails) {
  Link l(rails);
  ibv_sge list = l.a.sge(0, 8);
  ibv_send_wr wr = l.a.request(1, IBV_WR_RDMA_WRITE, l.b, &list, 1);
  wr.wr.rdma.remote_addr += l.b.memory.size() - 7;
  same(l.a.post(&wr), 0, "post");
  statuses(l.a, {IBV_WC_REM_ACCESS_ERR}, "sender");
}

void badLocalKey(const Rails& rails) {
  Link l(rails);
  ibv_sge list = l.a.sge(0, 8);
  list.lkey += 0x100;
  ibv_send_wr wr = l.a.request(1, IBV_WR_RDMA_WRITE, l.b, &list, 1);
  same(l.a.post(&wr), 0, "post");
  statuses(l.a, {IBV_WC_LOC_PROT_ERR}, "sender");
  same(int{l.b.state()}, int{IBV_QPS_RTS}, "receiver's state");
}

void sendTooLong(const Rails& rails) {
  Link l(rails);
  same(l.b.receive(1, 50), 0, "post receive");
  same(l.a.send(1, 51), 0, "post");
  const auto sender = l.a.wait(1), receiver = l.b.wait(1);
  same(sender.size() + receiver.size(), 2u, "completions");
  check(sender[0].status == IBV_WC_REM_INV_REQ_ERR && receiver[0].status == IBV_WC_LOC_LEN_ERR,
        "sender " + std::to_string(sender[0].status) + ", receiver " + std::to_string(receiver[0].status));
}

void nobodyThere(const Rails& rails) {
  LinkOptions o;
  o.connected = false;
  Link l(rails, o);
  for (End* end : {&l.a, &l.b}) same(end->init(), 0, "modify to INIT");  // b stays there: it answers nothing
  same(l.a.toReceive(l.b, l.b.qp->qp_num), 0, "modify to RTR");
  same(l.a.toSend(), 0, "modify to RTS");
  same(l.a.write(1, l.b, 8), 0, "post");
  same(l.a.write(2, l.b, 8), 0, "post");
  statuses(l.a, {IBV_WC_RETRY_EXC_ERR, IBV_WC_WR_FLUSH_ERR}, "sender");
}

void errorStateFlushes(const Rails& rails) {
  Link l(rails);
  for (uint64_t i = 0; i < 3; i++) same(l.b.receive(i, 8), 0, "post receive");
  same(l.b.to(IBV_QPS_ERR), 0, "modify to ERR");
  statuses(l.b, {IBV_WC_WR_FLUSH_ERR, IBV_WC_WR_FLUSH_ERR, IBV_WC_WR_FLUSH_ERR}, "receives");
  same(l.b.write(9, l.a, 8), 0, "post in ERR");
  statuses(l.b, {IBV_WC_WR_FLUSH_ERR}, "posted in ERR");
}

void resetAndReconnect(const Rails& rails) {
  Link l(rails);
  for (End* end : {&l.a, &l.b}) {
    same(end->to(IBV_QPS_ERR), 0, "modify to ERR");
    same(end->to(IBV_QPS_RESET), 0, "modify to RESET");
    same(end->init(), 0, "modify to INIT");
  }
  same(l.a.toReceive(l.b, l.b.qp->qp_num) + l.b.toReceive(l.a, l.a.qp->qp_num), 0, "modify to RTR");
  same(l.a.toSend() + l.b.toSend(), 0, "modify to RTS");
  same(l.a.write(1, l.b, 5000), 0, "post");
  statuses(l.a, {IBV_WC_SUCCESS}, "after reconnecting");
}

}  // namespace

const std::vector<Case>& ruleCases() {
  static const std::vector<Case> cases = {{"order", order},
                                          {"unsignaled", unsignaled},
                                          {"send-queue-full", sendQueueFull},
                                          {"rnr-recovers", receiverBecomesReady},
                                          {"rnr-exceeded", receiverNeverReady},
                                          {"bad-rkey", badRemoteKey},
                                          {"beyond-region", beyondTheRegion},
                                          {"bad-lkey", badLocalKey},
                                          {"send-too-long", sendTooLong},
                                          {"retry-exceeded", nobodyThere},
                                          {"error-flushes", errorStateFlushes},
                                          {"reset-reconnect", resetAndReconnect}};
  return cases;
}

}  // namespace polyrail::conformance
