// SPDX-License-Identifier: Apache-2.0
// A connected pair of comms on null verbs, and a loop that sends and receives messages on it: what the counts of
// instructions, system calls and allocations are taken from.
#pragma once

#include <memory>

#include "net/data/recv_comm.h"
#include "net/data/send_comm.h"
#include "test/unit/net-data/null_verbs.h"

namespace polyrail::net {

class NullPair {
 public:
  NullPair(unsigned rails, size_t bytes);
  // Messages one after the other, `inFlight` at a time; false when one is not done soon or the size is wrong.
  bool move(unsigned messages, unsigned inFlight, size_t size);

 private:
  bool finish(unsigned flight, size_t size);
  static constexpr unsigned kMost = 32;
  Verbs verbs_ = null_verbs::table();
  // A processor in seccomp's strict mode does not tell the time.
  class Ticks final : public Clock {
   public:
    int64_t nowNs() const override { return now_ += 1000; }

   private:
    mutable int64_t now_ = 0;
  };
  Ticks clock_;
  std::unique_ptr<SendComm> send_;
  std::unique_ptr<RecvComm> recv_;
  std::vector<char> out_, in_;
  MemoryKeys keys_;
  Request *sends_[kMost], *receives_[kMost];
};

}  // namespace polyrail::net
