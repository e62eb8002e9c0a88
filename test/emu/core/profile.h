// SPDX-License-Identifier: Apache-2.0
// Where implementations of the verbs differ in ways a program can see, as one table: `spec` is what the InfiniBand
// specification and common adapters do, `rxe-6.1` and `rxe-6.12` what the Linux kernel's Soft-RoCE was seen to do.
// Constant data; every thread may read it.
#pragma once

#include <infiniband/verbs.h>

#include <string_view>

#include "test/emu/core/event_queue.h"

namespace polyrail::emu {

struct Profile {
  std::string_view name;
  bool qpAccessEvent;         // a bad remote access raises QP_ACCESS_ERR / QP_REQ_ERR at the responder
  bool slotsFreedByPolling;   // a send slot is free again when a later completion was polled (else when it is done)
  bool retrySevenIsForever;   // retry_cnt 7 never gives up
  Time timerStep;             // retry timers are rounded up to this (a kernel tick), 0: exact
  ibv_wc_status adminDown;    // status of work sent out through a port that was set down; SUCCESS: it is just lost
  bool interruptedIsFlushed;  // work that was under way when its path broke ends as WR_FLUSH_ERR, not RETRY_EXC_ERR
  ibv_wc_status gidGone;      // status of work whose source GID was removed; SUCCESS: the queue pair goes on
  ibv_wc_status badLocalKey;  // status of a send whose local key does not allow it
  bool overlongIsOperation;   // a SEND longer than its receive: both ends see an operation error, not a length error
  bool poisonOnError;         // fields that an error completion leaves undefined hold nonsense
  bool deafInError;           // a receive posted in ERR is flushed only when the state is set to ERR once more
  bool dmabuf;                // ibv_reg_dmabuf_mr works (else EOPNOTSUPP)
  uint32_t maxMessage;        // bytes
  int gidTable;               // length of the GID table; entries beyond the addresses are empty
  uint32_t gidTypes;          // bit 0: RoCE v1 entries in the default GID table, bit 1: RoCE v2
};

// Null when there is no such profile.
const Profile* findProfile(std::string_view name);

}  // namespace polyrail::emu
