// SPDX-License-Identifier: Apache-2.0
// The error and congestion counters of a NIC port as the kernel shows them, and what changed of them. Reading one may
// ask the NIC's firmware: for set-up, failures and the end only. Some functions are not allowed to and the kernel
// logs each attempt (prometheus/node_exporter#3434), so that what could not be read once is not read again. Plain
// values; any thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "common/sysroot.h"
#include "net/report/evidence.h"

namespace polyrail::net {

inline constexpr std::array<const char*, 20> kPortCounters = {
    "counters/link_downed",
    "counters/link_error_recovery",
    "counters/symbol_error",
    "counters/local_link_integrity_errors",
    "counters/port_rcv_errors",
    "counters/port_rcv_remote_physical_errors",
    "counters/port_xmit_discards",
    "counters/excessive_buffer_overrun_errors",
    "hw_counters/out_of_sequence",
    "hw_counters/packet_seq_err",
    "hw_counters/implied_nak_seq_err",
    "hw_counters/local_ack_timeout_err",
    "hw_counters/rnr_nak_retry_err",
    "hw_counters/out_of_buffer",
    "hw_counters/req_cqe_error",
    "hw_counters/resp_cqe_error",
    "hw_counters/np_cnp_sent",
    "hw_counters/np_ecn_marked_roce_packets",
    "hw_counters/rp_cnp_handled",
    "hw_counters/roce_adp_retrans",
};

// By place in kPortCounters; nothing: the port has no such counter, or it cannot be read.
using PortCounters = std::array<std::optional<uint64_t>, kPortCounters.size()>;

PortCounters readPortCounters(const SysRoot& root, const std::string& device, unsigned port);
// Now, of those that `before` has.
PortCounters readAgain(const SysRoot& root, const std::string& device, unsigned port, const PortCounters& before);
// Those that have grown, without their folder. A counter that has shrunk was reset and counts from 0.
std::vector<CounterChange> changes(const PortCounters& before, const PortCounters& now);

}  // namespace polyrail::net
