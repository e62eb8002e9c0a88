// SPDX-License-Identifier: Apache-2.0
#include "common/settings_table.h"

namespace polyrail {
namespace {

constexpr int64_t kMostMs = 3'600'000;

constexpr Setting path(const char* name, const char* reader, const char* meaning) {
  return {name, reader, SettingType::kPath, "", 0, 0, "", meaning};
}
constexpr Setting text(const char* name, const char* meaning) {
  return {name, "net", SettingType::kText, "", 0, 0, "", meaning};
}
constexpr Setting number(const char* name, const char* fallback, int64_t min, int64_t max, const char* meaning) {
  return {name, "net", SettingType::kInteger, fallback, min, max, "", meaning};
}
constexpr Setting word(const char* name, const char* fallback, const char* words, const char* meaning) {
  return {name, "net", SettingType::kWord, fallback, 0, 0, words, meaning};
}

// Meanings and defaults of NCCL_* are those of NCCL 2.30.7 (src/transport/net_ib, src/misc/socket.cc, src/graph).
constexpr Setting kSettings[] = {
    path("POLYRAIL_POLICY", "tuner",
         "Policy file to use; unset: /etc/polyrail/policy.json if it is there; 'none': no policy."),
    {"POLYRAIL_TUNER_LOG", "tuner", SettingType::kInteger, "1", 0, 2, "",
     "What the tuner logs through NCCL: 0 only warnings; 1 also a line as a communicator begins (digest, shape, "
     "number of rules that fit) and one as it ends (calls decided); 2 also those rules."},

    number("POLYRAIL_NET_LOG", "1", 0, 2,
           "What the net plugin logs through NCCL: 0 only warnings; 1 also a line at init; 2 also one for each port "
           "and connection."),
    text("POLYRAIL_GID_INDEX",
         "GID index by device or port, before NCCL_IB_GID_INDEX: a list like mlx5_0=3,mlx5_1:2=5; auto chooses."),
    word("POLYRAIL_GPUDIRECT", "auto", "auto|dmabuf|peermem|off",
         "How GPU memory is registered: auto takes DMA-BUF where it works and peermem where not."),
    word("POLYRAIL_POLICY_MISMATCH", "error", "error|warn",
         "What a connection does when the two ends run different tuner policies."),
    word("POLYRAIL_FAILOVER", "on", "on|off", "Whether a connection survives the failure of a rail."),
    number("POLYRAIL_STANDBY", "7", 0, 7,
           "How many sibling NICs may stand in for those of a connection when all of these have failed; 0: none."),
    word(
        "POLYRAIL_BORROW", "on", "on|off",
        "Whether a connection with one NIC also takes an eighth of its siblings (POLYRAIL_STANDBY) while that one is "
        "far too slow."),
    number("POLYRAIL_HANDSHAKE_TIMEOUT", "30000", 100, kMostMs,
           "Milliseconds that a peer has for the whole handshake before the connection ends with an error."),
    number(
        "POLYRAIL_WATCHDOG", "1000", 10, kMostMs,
        "Milliseconds that posted work may go without a completion before its path is taken out of use. One lost "
        "packet "
        "waits 4.096 us x 2^NCCL_IB_TIMEOUT (4.3 s by default) and is repaired sooner; longer than that, or a lower "
        "NCCL_IB_TIMEOUT, lets the NIC send it again itself."),
    number("POLYRAIL_PACKET_LIFETIME", "2000", 1, kMostMs,
           "Milliseconds that a queue pair that was fenced is kept, because packets of it may still be under way."),
    number("POLYRAIL_NO_PATH_TIMEOUT", "30000", 100, kMostMs,
           "Milliseconds that a connection without any path waits for one before both ends return an error."),
    word("POLYRAIL_TELEMETRY", "on", "on|off",
         "Whether a process shows what its rails do: the file, JSON, slow rails."),
    {"POLYRAIL_TELEMETRY_DIR", "net", SettingType::kPath, "/dev/shm", 0, 0, "",
     "Folder in which a process keeps the file that `polyrail top` reads; the command looks there too."},
    word("POLYRAIL_TELEMETRY_READERS", "user", "user|group|all", "Who may read that file."),
    {"POLYRAIL_TELEMETRY_JSON", "net", SettingType::kPath, "", 0, 0, "",
     "File that a process writes what its rails have done in all to when it ends: %p is its number, %h the host, %r "
     "the rank."},

    text("NCCL_IBVERBS_LIB", "Verbs library to open in place of libibverbs.so.1."),
    number("NCCL_IB_DISABLE", "0", 0, 1, "1: do not use InfiniBand or RoCE at all."),
    text("NCCL_IB_HCA",
         "Ports to use: a list of device[:port[:rail[:plane]]]; ^ in front: all but these, =: whole names."),
    number("NCCL_IB_MERGE_VFS", "1", 0, 1, "1: virtual functions of one card count as one place on PCI."),
    number("NCCL_IB_MERGE_NICS", "1", 0, 1, "0: never fuse ports to a virtual device."),
    number("NCCL_IB_DEVICE_PCI_ORDER", "1", 0, 1, "1: order devices by PCI address; 0: as verbs lists them."),
    number("NCCL_IB_DATA_DIRECT", "1", 0, 2,
           "Data-direct interface of mlx5: 0 not used; 1 in place of the usual one; 2 both."),
    number("NCCL_IB_ADAPTIVE_ROUTING", "-2", -2, 1,
           "Whether the fabric may reorder packets; -2: on InfiniBand only."),
    number("NCCL_IB_AR_THRESHOLD", "-2", -2, int64_t{1} << 40,
           "Bytes above which, under adaptive routing, data and notice are two work requests; -2: 8192."),
    number("NCCL_IB_PCI_RELAXED_ORDERING", "2", 0, 2,
           "PCI relaxed ordering for data: 0 off, 1 on, 2 where possible."),
    number("NCCL_IB_QUERY_PORT_SPEED", "1", 0, 1, "1: ask ibv_query_port_speed where the library has it."),
    number("NCCL_IB_GID_INDEX", "-1", -1, 65535, "GID index of every RoCE port; -1: choose by port."),
    number("NCCL_IB_ROUTABLE_FLID_GID_INDEX", "1", 0, 65535, "Index of the GID with the FLID of routed InfiniBand."),
    number("NCCL_IB_ROCE_VERSION_NUM", "2", 1, 2, "RoCE version to prefer when the GID is chosen."),
    word("NCCL_IB_ADDR_FAMILY", "AF_INET", "AF_INET|AF_INET6", "Address family to prefer when the GID is chosen."),
    text("NCCL_IB_ADDR_RANGE", "Addresses that the chosen GID must lie in: 10.0.0.0/8, fd00::/8."),
    number("NCCL_IB_TIMEOUT", "20", 0, 31, "Timer of a reliable connection: 4.096 us x 2^n; 0: none."),
    number("NCCL_IB_RETRY_CNT", "7", 0, 7, "How often a reliable connection sends again before it fails."),
    number("NCCL_IB_PKEY", "0", 0, 65535, "Index into every port's table of partition keys."),
    number("NCCL_IB_PKEY_VALUE", "-1", -1, 65535,
           "Partition key by value, found in each port's own table, before NCCL_IB_PKEY; -1: not set."),
    number("NCCL_IB_USE_INLINE", "0", 0, 1, "1: grants are sent inline."),
    number("NCCL_IB_SL", "-1", -1, 15, "Service level of InfiniBand; -1: the communicator's traffic class, else 0."),
    number("NCCL_IB_TC", "-1", -1, 255, "Traffic class of data; -1: the communicator's, else 0."),
    number("NCCL_IB_FIFO_TC", "-1", -1, 255,
           "Traffic class of a receiver's grants and acknowledgements on RoCE; -1: as data."),
    number("NCCL_IB_ECE_ENABLE", "1", 0, 1, "1: negotiate enhanced connection establishment."),
    number("NCCL_IB_QPS_PER_CONNECTION", "1", 1, 16, "Queue pairs of a connection on each pair of rails."),
    number("NCCL_IB_SPLIT_DATA_ON_QPS", "0", 0, 1, "Accepted; polyrail splits every message by measured rate."),
    number("NCCL_IB_SUBNET_AWARE_ROUTING", "0", 0, 1, "Accepted; polyrail always pairs rails by subnet."),
    number("NCCL_IB_SUBNET_PREFIX_LEN", "24", 0, 128, "Leading bits of an address that make its subnet."),
    number("NCCL_IB_WARN_RAIL_LOCAL", "0", 0, 1, "1: warn of a connection between different rails."),
    number("NCCL_IB_RETURN_ASYNC_EVENTS", "1", 0, 1,
           "1: a fatal event of a NIC, completion queue or queue pair ends the connections it concerns that failover "
           "does not keep; 0: it is only said."),
    number("NCCL_IB_MQP_RETRY_ALL", "0", 0, 1, "1: repeat ibv_modify_qp on any error, not only on a timeout."),
    number("NCCL_IB_MQP_RETRY_CNT", "34", 0, 1000, "How often ibv_modify_qp is repeated."),
    number("NCCL_IB_MQP_RETRY_SLEEP_MSEC", "100", 0, kMostMs, "Milliseconds between two tries of ibv_modify_qp."),
    number("NCCL_GDR_FLUSH_DISABLE", "0", 0, 1, "1: do not flush data to GPU memory after a receive."),
    number("NCCL_DMABUF_ENABLE", "1", 0, 1, "0: do not register GPU memory through DMA-BUF."),
    word("NCCL_NET_MERGE_LEVEL", "PORT", "LOC|PORT|PIX|PXB|P2C|PXN|PHB|SYS",
         "How far apart NICs may be that are fused where NCCL cannot ask for it (plugin ABI up to v8)."),
    text("NCCL_NET_FORCE_MERGE", "NICs to fuse there whatever their distance: mlx5_0,mlx5_1;mlx5_2,mlx5_3."),
    word("NCCL_NET_MERGE_POLICY", "ALL", "ALL|RAIL", "RAIL: only NICs of one rail are fused there."),
    text("NCCL_SOCKET_IFNAME",
         "Network interfaces for the handshake: a list of prefixes; ^: all but, =: whole names."),
    text("NCCL_SOCKET_FAMILY", "Address family of the handshake: AF_INET or AF_INET6; unset: either."),
    number("NCCL_SOCKET_RETRY_CNT", "34", 0, 100000, "How often a refused TCP connection is tried again."),
    number("NCCL_SOCKET_RETRY_SLEEP_MSEC", "100", 0, kMostMs, "Milliseconds before the first of these, growing."),
    number("NCCL_SOCKET_RCVBUF", "-1", -1, int64_t{1} << 31,
           "Receive buffer of the TCP connection; -1: the system's."),
    number("NCCL_SOCKET_SNDBUF", "-1", -1, int64_t{1} << 31, "Send buffer of the TCP connection; -1: the system's."),
};

}  // namespace

std::span<const Setting> allSettings() { return kSettings; }

}  // namespace polyrail
