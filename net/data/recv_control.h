// SPDX-License-Identifier: Apache-2.0
// Layout of a receiver's control memory; private to RecvComm.
#pragma once

#include "net/data/recv_comm.h"

namespace polyrail::net {

struct RecvComm::Control {
  SizeRecords sizes;         // written by the sender
  GrantEntry grant[kSlots];  // what grants are written from; slot s + 32 exists only when s was received
  CreditLine credit;         // one write of it under way at a time
  uint8_t flushed[kLine];    // where reads of a flush land
};

inline RecvComm::Control& RecvComm::control() const { return *set_.control().as<Control>(); }

}  // namespace polyrail::net
