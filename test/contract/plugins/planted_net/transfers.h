// SPDX-License-Identifier: Apache-2.0
// A layer over the reference plugin's data path through which a defect can reach into one transfer: every request
// that the host sees is a Transfer, which knows its buffers and the reference's own request. Without a defect it
// changes nothing. Thread-safe behind one lock.
#pragma once

#include <vector>

#include "test/contract/plugins/reference_net/comm.h"
#include "test/contract/plugins/reference_net/functions.h"

namespace planted {

using namespace polyrail::nccl;

struct Transfer {
  bool send = false;
  void* comm = nullptr;
  int n = 1;
  std::vector<char*> data = {};
  std::vector<size_t> sizes = {};  // capacities of a receive, the size of a send
  std::vector<void*> mhandles = {};
  void* inner = nullptr;  // the reference's request; null: done as far as the host is told
  int uses = 1;           // how often the host has been given it
  // Of defects: own buffers instead of the host's, and how far they are copied.
  std::vector<std::vector<char>> bounce = {};
  std::vector<reference::Mr> bounceMrs = {};
  int copied = 0;
  bool arrived = false;
};

// Where a defect takes hold; null where it does not. Set once, before any call.
struct Hooks {
  // Before the reference's irecv; may give other arguments by changing the transfer and the tags.
  void (*posting)(Transfer&, int* tags) = nullptr;
  // A receive is complete, `sizes` are about to be reported; false: say not done, and ask again.
  bool (*received)(Transfer&, int* sizes) = nullptr;
  // The host asks; false: not done yet, whatever the reference says.
  bool (*ready)(Transfer&) = nullptr;
  // A send was accepted: the request that the host gets for it.
  Transfer* (*accepted)(Transfer*) = nullptr;
};
inline Hooks hooks;

Result isend(void* comm, void* data, size_t size, int tag, void* mhandle, void*, void** request);
Result irecv(void* comm, int n, void** data, size_t* sizes, int* tags, void** mhandles, void**, void** request);
Result test(void* request, int* done, int* sizes);
// To be called with the lock held, that is, from hooks.
std::vector<Transfer*>& alive();
// Its reference request is tested on, unseen, until it is done.
void abandon(Transfer& transfer);

}  // namespace planted
