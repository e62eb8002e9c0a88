// SPDX-License-Identifier: Apache-2.0
// Connections of the reference net plugin. The handle carries where to connect, a secret that keeps strangers out,
// and, in the connecting side's copy, how far it has come. Nothing here blocks; one service thread a comm.
#pragma once

#include "test/contract/plugins/reference_net/comm.h"

namespace reference {

struct Listener;

polyrail::nccl::Result listenOn(void* handle, Listener** listener);
// Both leave *comm null until there is one.
polyrail::nccl::Result connectOnce(void* handle, SendComm** comm);
polyrail::nccl::Result acceptOnce(Listener* listener, RecvComm** comm);
void closeListener(Listener* listener);

}  // namespace reference
