// SPDX-License-Identifier: Apache-2.0
#include "net/report/causes.h"

#include <infiniband/verbs.h>

#include <algorithm>
#include <span>

namespace polyrail::net {
namespace {

struct Where {
  bool fits = false;
  const RailEvidence* rail = nullptr;  // that the row points to; null: none
  explicit operator bool() const { return fits; }
};

Where railOf(const Evidence& e, const PathEvidence& path) {
  return {true, path.rail < e.rails.size() ? &e.rails[path.rail] : nullptr};
}

Where symptom(const Evidence& e, Symptom wanted) {
  for (const PathEvidence& p : e.paths)
    if (!p.live && p.first.symptom == wanted) return railOf(e, p);
  return {};
}

Where status(const Evidence& e, std::initializer_list<int> wanted) {
  for (const PathEvidence& p : e.paths)
    if (!p.live && p.first.symptom == Symptom::kCompletion &&
        std::find(wanted.begin(), wanted.end(), p.first.status) != wanted.end())
      return railOf(e, p);
  return {};
}

Where counted(const Evidence& e, std::initializer_list<std::string_view> wanted) {
  for (const RailEvidence& r : e.rails)
    for (const CounterChange& c : r.changes)
      if (std::find(wanted.begin(), wanted.end(), c.name) != wanted.end()) return {true, &r};
  return {};
}

Where ended(const Evidence& e, Ending wanted) { return {e.ending == wanted, nullptr}; }

Where lostNic(const Evidence& e) {
  for (const RailEvidence& r : e.rails)
    if (r.lost) return {true, &r};
  return symptom(e, Symptom::kDeviceLost);
}

Where downPort(const Evidence& e) {
  const Where event = symptom(e, Symptom::kPortDown);
  return event ? event : counted(e, {"link_downed"});
}

Where silentPath(const Evidence& e) {
  const Where retries = status(e, {IBV_WC_RETRY_EXC_ERR, IBV_WC_RESP_TIMEOUT_ERR});
  return retries ? retries : symptom(e, Symptom::kWatchdog);
}

struct Row {
  std::string_view name;
  Where (*fits)(const Evidence&);
  const char* text;  // "%" stands for the rail, "@" for the peer
  const char* next;
};

// Statuses: ibv_wc_status; what each means at the requester, InfiniBand Architecture Specification 1.4, 11.6.2.
// Counters: the kernel's Documentation/ABI/stable/sysfs-class-infiniband.
constexpr Row kRows[] = {
    {"peer-died", [](const Evidence& e) { return ended(e, Ending::kPeerDied); },
     "@ died: killed, crashed, out of memory, or its host went down; the network did what it should",
     "the peer's own log; on its host: dmesg -T | grep -i -e oom -e killed -e segfault"},
    {"peer-left", [](const Evidence& e) { return ended(e, Ending::kPeerLeft); },
     "@ closed the connection first: its NCCL aborted, or its program ended early",
     "the peer's own log: the first error of the job is there"},
    {"unplaced", [](const Evidence& e) { return ended(e, Ending::kUnplaced); },
     "the NIC or the PCIe bus of @ acknowledged data and did not deliver them; do not trust that host",
     "on the peer: dmesg -T | grep -i -e aer -e pcie; take the host out of service"},
    {"unfenced", [](const Evidence& e) { return ended(e, Ending::kUnfenced); },
     "the driver or firmware of % refuses to stop a queue pair, so that a repair would not be safe",
     "dmesg -T | grep -i -e mlx5 -e infiniband; firmware and driver versions: ibv_devinfo -v"},
    {"control-silent", [](const Evidence& e) { return ended(e, Ending::kSilent); },
     "@ does not answer on the control channel: its process stands still, or TCP between the hosts is cut",
     "ss -tie and ping between the hosts; NCCL_SOCKET_IFNAME; on the peer: does the process run (top, gdb -p)?"},
    {"protocol", [](const Evidence& e) { return ended(e, Ending::kProtocol); },
     "the two ends do not speak the same: another version of polyrail at @, or a fault of polyrail",
     "compare the versions that both logs name; report it with both logs"},
    {"nic-lost", lostNic, "the NIC of % failed as a whole: firmware, PCIe link or power",
     "dmesg -T | grep -i -e mlx5 -e aer -e pcie; lspci -vv of the NIC; reset or replace it"},
    {"cq-broken", [](const Evidence& e) { return symptom(e, Symptom::kPoll); },
     "the completion queue of % is broken: the driver or the NIC of this host",
     "dmesg -T | grep -i -e mlx5 -e infiniband"},
    {"link-down", downPort, "the link of % went down at this end: cable, transceiver, switch port, or an operator",
     "ibstat; polyrail rails; dmesg -T | grep -i link; the switch's log of that port"},
    {"bit-errors",
     [](const Evidence& e) {
       return counted(e, {"symbol_error", "local_link_integrity_errors", "port_rcv_errors", "link_error_recovery",
                          "port_rcv_remote_physical_errors"});
     },
     "bit errors on the link of %: dirty or failing cable or transceiver",
     "mlxlink -d DEVICE -c, or ibdiagnet --get_phy_info; clean or replace the cable"},
    {"event", [](const Evidence& e) { return ended(e, Ending::kLocalEvent); },
     "the NIC or its driver reported a fatal error at this end", "dmesg -T | grep -i -e mlx5 -e infiniband"},
    {"flush", [](const Evidence& e) { return ended(e, Ending::kFlush); },
     "what a NIC of this host wrote into GPU memory could not be made visible: the NIC, the PCIe bus or the GPU "
     "failed",
     "dmesg -T | grep -i -e mlx5 -e aer -e xid; NCCL_NET_GDR_LEVEL=LOC does without GPUDirect"},
    {"peer-nic",
     [](const Evidence& e) {
       return status(e, {IBV_WC_REM_OP_ERR, IBV_WC_REM_ABORT_ERR, IBV_WC_REM_INV_REQ_ERR});
     },
     "the NIC of @ refused work of %: a failure at the peer's end",
     "on the peer: dmesg -T, ibstat, polyrail rails, and its own report"},
    {"peer-memory", [](const Evidence& e) { return status(e, {IBV_WC_REM_ACCESS_ERR}); },
     "@ no longer lets % write to its memory: freed or deregistered while in use, or its GPU was reset",
     "the peer's own log and report; on the peer: nvidia-smi -q | grep -i xid; dmesg -T"},
    {"local-memory",
     [](const Evidence& e) {
       return status(e, {IBV_WC_LOC_PROT_ERR, IBV_WC_LOC_LEN_ERR, IBV_WC_MW_BIND_ERR});
     },
     "memory of this process is not registered any more on %: freed while in use, or its GPU was reset",
     "nvidia-smi -q | grep -i xid; dmesg -T; the application's own log"},
    {"no-receive",
     [](const Evidence& e) {
       const Where end = status(e, {IBV_WC_RNR_RETRY_EXC_ERR});
       return end ? end : counted(e, {"rnr_nak_retry_err"});
     },
     "@ had no receive posted for % in time: a fault of polyrail or of the peer's NIC",
     "report it with both logs; hw_counters/rnr_nak_retry_err and out_of_buffer of both ports"},
    {"local-nic",
     [](const Evidence& e) {
       return status(e, {IBV_WC_LOC_QP_OP_ERR, IBV_WC_LOC_EEC_OP_ERR, IBV_WC_LOC_ACCESS_ERR, IBV_WC_FATAL_ERR,
                         IBV_WC_GENERAL_ERR, IBV_WC_BAD_RESP_ERR, IBV_WC_WR_FLUSH_ERR});
     },
     "the queue pair of % failed at this end: its port was set down, its address is gone, or the NIC failed",
     "ibstat; polyrail rails; dmesg -T | grep -i -e mlx5 -e infiniband"},
    {"post-refused", [](const Evidence& e) { return symptom(e, Symptom::kPost); },
     "the NIC or driver of % takes no more work", "dmesg -T | grep -i -e mlx5 -e infiniband; ulimit -l"},
    {"peer-says", [](const Evidence& e) { return symptom(e, Symptom::kPeer); }, "@ saw the failure first, at its end",
     "the peer's own log and report; on the peer: ibstat, polyrail rails"},
    {"silence", silentPath,
     "nothing answers % any more: the port, link or NIC of @, a switch between, or (RoCE) a route, VLAN or filter",
     "on the peer: ibstat, polyrail rails; between the hosts: polyrail perf, ping; the switches' port counters"},
    {"packet-loss",
     [](const Evidence& e) {
       return counted(e, {"out_of_sequence", "packet_seq_err", "implied_nak_seq_err", "local_ack_timeout_err",
                          "roce_adp_retrans", "port_xmit_discards", "excessive_buffer_overrun_errors"});
     },
     "packets of % are lost on the way: on RoCE, PFC or ECN is missing, or differs between switches",
     "PFC and ECN of NIC and switches for the class that NCCL_IB_TC names; switch discards; NCCL_IB_TIMEOUT"},
    {"congestion",
     [](const Evidence& e) {
       return counted(e, {"np_cnp_sent", "np_ecn_marked_roce_packets", "rp_cnp_handled"});
     },
     "the fabric is congested at %",
     "hw_counters/rp_cnp_handled over time; adaptive routing; NCCL_IB_QPS_PER_CONNECTION"},
    {"unavailable", [](const Evidence& e) { return symptom(e, Symptom::kUnavailable); },
     "the port of % cannot be used: not active, or without an address", "polyrail rails; ibstat; ip address"},
    {"no-answer", [](const Evidence& e) { return symptom(e, Symptom::kNoAnswer); },
     "a new queue pair on % gets no answer: another GID, LID, route, VLAN or MTU than before",
     "polyrail rails on both hosts; show_gids; the subnet manager's log"},
    {"peer-ended", [](const Evidence& e) { return ended(e, Ending::kPeerEnded); }, "@ ended the connection",
     "the peer's own log and report"},
    {"path", [](const Evidence& e) { return ended(e, Ending::kPath); }, "a rail failed, and POLYRAIL_FAILOVER is off",
     "unset POLYRAIL_FAILOVER"},
};

std::string filled(const char* text, const RailEvidence* rail, const std::string& peer) {
  std::string out;
  for (const char* c = text; *c; c++) {
    if (*c == '%')
      out += rail ? rail->name : "this end";
    else if (*c == '@')
      out += peer.empty() ? "the peer" : "the peer " + peer;
    else
      out += *c;
  }
  return out;
}

}  // namespace

std::vector<Cause> likelyCauses(const Evidence& e) {
  std::vector<Cause> causes;
  for (const Row& row : kRows)
    if (const Where where = row.fits(e)) causes.push_back({row.name, filled(row.text, where.rail, e.peer), row.next});
  if (causes.empty())
    causes.push_back({"unknown", "nothing seen here points to a cause",
                      "polyrail rails on both hosts; polyrail perf between them; both logs with NCCL_DEBUG=INFO"});
  return causes;
}

}  // namespace polyrail::net
