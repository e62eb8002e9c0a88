// SPDX-License-Identifier: Apache-2.0
// Single sends and receives on a comm pair, for tests that look at one thing. Buffers belong to the driver, one a
// call.
#pragma once

#include <deque>
#include <vector>

#include "test/unit/net-data/rig.h"

namespace polyrail::net {

struct Want {
  int tag;
  size_t capacity;
};

class Driver {
 public:
  Driver(Rig& rig, CommPair& pair) : rig_(rig), pair_(pair) {}

  // A buffer of a side, filled with `seed`'s pattern (seed < 0: zero), registered on all rails.
  struct Buffer {
    std::vector<char> bytes;
    MemoryKeys keys;
  };
  Buffer& buffer(bool sender, size_t size, int seed, bool device = false);
  static bool holds(const Buffer& b, size_t size, int seed);

  Request* receive(const std::vector<Want>& wants, std::vector<Buffer*>* buffers = nullptr, bool device = false);
  Request* send(size_t size, int tag, int seed);
  // Lets time pass until the request is done; false when it fails or nothing happens any more.
  bool wait(bool sender, Request* request, std::vector<int>* sizes = nullptr);
  bool done(bool sender, Request* request, int* sizes = nullptr);
  void pass(int64_t ns) { rig_.sim().run(ns); }
  Outcome outcome = Outcome::kOk;  // of the last call

 private:
  Rig& rig_;
  CommPair& pair_;
  std::deque<Buffer> buffers_;
};

// "RNR NAK" packets that arrived so far. REQUIRES: sim().world().trace.keepText(true) from the start.
int receiverNotReady(Rig& rig);

}  // namespace polyrail::net
