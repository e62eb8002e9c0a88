// SPDX-License-Identifier: Apache-2.0
// Which attributes a transition needs and which it may carry: IB spec vol. 1, release 1.3, tables 91
// (section 11.2.5.2).
#include "test/emu/core/qp.h"

namespace polyrail::emu {
namespace {

struct Transition {
  ibv_qp_type type;
  ibv_qp_state from, to;
  int needed, allowed;  // without IBV_QP_STATE and IBV_QP_CUR_STATE
};

constexpr int kInit = IBV_QP_PKEY_INDEX | IBV_QP_PORT;
constexpr int kConnectedRtr = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
constexpr int kReliableRtr = kConnectedRtr | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
constexpr int kReliableRts =
    IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC;
constexpr int kAltPath = IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE;

constexpr Transition kTransitions[] = {
    {IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT, kInit | IBV_QP_ACCESS_FLAGS, 0},
    {IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_INIT, 0, kInit | IBV_QP_ACCESS_FLAGS},
    {IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_RTR, kReliableRtr, IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS | kAltPath},
    {IBV_QPT_RC, IBV_QPS_RTR, IBV_QPS_RTS, kReliableRts, IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | kAltPath},
    {IBV_QPT_RC, IBV_QPS_RTS, IBV_QPS_RTS, 0, IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | kAltPath},
    {IBV_QPT_RC, IBV_QPS_RTS, IBV_QPS_SQD, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY},
    {IBV_QPT_RC, IBV_QPS_SQD, IBV_QPS_RTS, 0, IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | kAltPath},
    {IBV_QPT_RC, IBV_QPS_SQD, IBV_QPS_SQD, 0,
     IBV_QP_PORT | IBV_QP_AV | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC |
         IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | kAltPath},
    {IBV_QPT_UC, IBV_QPS_RESET, IBV_QPS_INIT, kInit | IBV_QP_ACCESS_FLAGS, 0},
    {IBV_QPT_UC, IBV_QPS_INIT, IBV_QPS_INIT, 0, kInit | IBV_QP_ACCESS_FLAGS},
    {IBV_QPT_UC, IBV_QPS_INIT, IBV_QPS_RTR, kConnectedRtr, IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS | kAltPath},
    {IBV_QPT_UC, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_SQ_PSN, IBV_QP_ACCESS_FLAGS | kAltPath},
    {IBV_QPT_UC, IBV_QPS_RTS, IBV_QPS_RTS, 0, IBV_QP_ACCESS_FLAGS | kAltPath},
    {IBV_QPT_UC, IBV_QPS_RTS, IBV_QPS_SQD, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY},
    {IBV_QPT_UC, IBV_QPS_SQD, IBV_QPS_RTS, 0, IBV_QP_ACCESS_FLAGS | kAltPath},
    {IBV_QPT_UC, IBV_QPS_SQE, IBV_QPS_RTS, 0, IBV_QP_ACCESS_FLAGS},
    {IBV_QPT_UD, IBV_QPS_RESET, IBV_QPS_INIT, kInit | IBV_QP_QKEY, 0},
    {IBV_QPT_UD, IBV_QPS_INIT, IBV_QPS_INIT, 0, kInit | IBV_QP_QKEY},
    {IBV_QPT_UD, IBV_QPS_INIT, IBV_QPS_RTR, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY},
    {IBV_QPT_UD, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_SQ_PSN, IBV_QP_QKEY},
    {IBV_QPT_UD, IBV_QPS_RTS, IBV_QPS_RTS, 0, IBV_QP_QKEY},
    {IBV_QPT_UD, IBV_QPS_RTS, IBV_QPS_SQD, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY},
    {IBV_QPT_UD, IBV_QPS_SQD, IBV_QPS_RTS, 0, IBV_QP_QKEY},
    {IBV_QPT_UD, IBV_QPS_SQE, IBV_QPS_RTS, 0, IBV_QP_QKEY},
};

}  // namespace

bool transitionAllowed(ibv_qp_type type, ibv_qp_state from, ibv_qp_state to, int mask) {
  mask &= ~(IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_RATE_LIMIT);
  if (to == IBV_QPS_RESET || to == IBV_QPS_ERR) return mask == 0;
  for (const Transition& t : kTransitions)
    if (t.type == type && t.from == from && t.to == to)
      return (mask & t.needed) == t.needed && (mask & ~(t.needed | t.allowed)) == 0;
  return false;
}

}  // namespace polyrail::emu
