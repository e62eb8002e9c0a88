// SPDX-License-Identifier: Apache-2.0
// Enumerations as text, and rates as numbers.
#include <span>

#include "test/emu/verbs/face.h"

using namespace polyrail::emu;

namespace {

const char* pick(std::span<const char* const> names, int index, const char* otherwise) {
  return index >= 0 && static_cast<size_t>(index) < names.size() && names[static_cast<size_t>(index)]
             ? names[static_cast<size_t>(index)]
             : otherwise;
}

// Programs print these and people search the web for them, so they read as they do everywhere.
constexpr const char* kStatus[] = {"success",
                                   "local length error",
                                   "local QP operation error",
                                   "local EE context operation error",
                                   "local protection error",
                                   "Work Request Flushed Error",
                                   "memory management operation error",
                                   "bad response error",
                                   "local access error",
                                   "remote invalid request error",
                                   "remote access error",
                                   "remote operation error",
                                   "transport retry counter exceeded",
                                   "RNR retry counter exceeded",
                                   "local RDD violation error",
                                   "remote invalid RD request",
                                   "aborted error",
                                   "invalid EE context number",
                                   "invalid EE context state",
                                   "fatal error",
                                   "response timeout error",
                                   "general error",
                                   "TM error",
                                   "TM software rendezvous"};

constexpr const char* kEvents[] = {"CQ error",
                                   "local work queue catastrophic error",
                                   "invalid request local work queue error",
                                   "local access violation work queue error",
                                   "communication established",
                                   "send queue drained",
                                   "path migrated",
                                   "path migration request error",
                                   "local catastrophic error",
                                   "port active",
                                   "port error",
                                   "LID change",
                                   "P_Key table change",
                                   "SM change",
                                   "SRQ catastrophic error",
                                   "SRQ limit reached",
                                   "last WQE reached",
                                   "client reregistration",
                                   "GID table change"};

constexpr const char* kPortStates[] = {"invalid state", "PORT_DOWN",   "PORT_INIT",
                                       "PORT_ARMED",    "PORT_ACTIVE", "PORT_ACTIVE_DEFER"};

constexpr const char* kNodes[] = {nullptr,
                                  "InfiniBand channel adapter",
                                  "InfiniBand switch",
                                  "InfiniBand router",
                                  "iWARP NIC",
                                  "usNIC",
                                  "usNIC UDP",
                                  "unspecified"};

struct Rate {
  ibv_rate code;
  int mult, mbps;  // of 2.5 Gb/s, and in Mb/s: IB spec vol. 1, 9.11 and its later additions
};

constexpr Rate kRates[] = {
    {IBV_RATE_2_5_GBPS, 1, 2500},    {IBV_RATE_5_GBPS, 2, 5000},       {IBV_RATE_10_GBPS, 4, 10000},
    {IBV_RATE_20_GBPS, 8, 20000},    {IBV_RATE_30_GBPS, 12, 30000},    {IBV_RATE_40_GBPS, 16, 40000},
    {IBV_RATE_60_GBPS, 24, 60000},   {IBV_RATE_80_GBPS, 32, 80000},    {IBV_RATE_120_GBPS, 48, 120000},
    {IBV_RATE_14_GBPS, 6, 14062},    {IBV_RATE_56_GBPS, 22, 56250},    {IBV_RATE_112_GBPS, 45, 112500},
    {IBV_RATE_168_GBPS, 67, 168750}, {IBV_RATE_25_GBPS, 10, 25781},    {IBV_RATE_100_GBPS, 40, 103125},
    {IBV_RATE_200_GBPS, 80, 206250}, {IBV_RATE_300_GBPS, 120, 309375}, {IBV_RATE_28_GBPS, 11, 28125},
    {IBV_RATE_50_GBPS, 20, 53125},   {IBV_RATE_400_GBPS, 160, 425000}, {IBV_RATE_600_GBPS, 240, 637500}};

}  // namespace

EMU_EXPORT const char* ibv_wc_status_str(ibv_wc_status status) { return pick(kStatus, status, "unknown"); }
EMU_EXPORT const char* ibv_event_type_str(ibv_event_type event) { return pick(kEvents, event, "unknown"); }
EMU_EXPORT const char* ibv_port_state_str(ibv_port_state state) { return pick(kPortStates, state, "unknown"); }
EMU_EXPORT const char* ibv_node_type_str(ibv_node_type type) { return pick(kNodes, type, "unknown"); }

EMU_EXPORT int ibv_rate_to_mult(ibv_rate rate) {
  for (const Rate& r : kRates)
    if (r.code == rate) return r.mult;
  return -1;
}
EMU_EXPORT int ibv_rate_to_mbps(ibv_rate rate) {
  for (const Rate& r : kRates)
    if (r.code == rate) return r.mbps;
  return -1;
}
EMU_EXPORT ibv_rate mult_to_ibv_rate(int mult) {
  for (const Rate& r : kRates)
    if (r.mult == mult) return r.code;
  return IBV_RATE_MAX;
}
EMU_EXPORT ibv_rate mbps_to_ibv_rate(int mbps) {
  for (const Rate& r : kRates)
    if (r.mbps == mbps) return r.code;
  return IBV_RATE_MAX;
}
