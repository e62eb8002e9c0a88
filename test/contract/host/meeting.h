// SPDX-License-Identifier: Apache-2.0
// Where the ranks of one run meet, threads or processes alike: connection handles change hands (NCCL's bootstrap),
// everybody waits for everybody, faults are collected, and a run in which nothing moves any more is ended. Lives in
// shared memory that is mapped before ranks fork and goes with its owner. Thread-safe and process-safe.
#pragma once

#include <chrono>
#include <memory>

#include "common/nccl/net_types.h"
#include "test/contract/host/faults.h"

namespace polyrail::contract {

class Meeting {
 public:
  static constexpr int kMostLinks = 512;
  struct Unmap {
    void operator()(Meeting* meeting) const;
  };
  using Owner = std::unique_ptr<Meeting, Unmap>;
  static Owner arrange(int ranks, std::chrono::milliseconds patience);

  void publish(int link, const void* handle);
  // False while nobody has published it.
  bool fetch(int link, void* handle) const;
  // False when the run is over.
  bool waitForAll();
  // True once everybody has waited for everybody.
  bool haveMet() const { return arrivals_ >= ranks_; }
  void giveUp() { givenUp_ = true; }
  // Some rank came further.
  void moved() { lastMove_ = now(); }
  // Given up, or nothing moved for as long as the patience lasts.
  bool over() const;

  Faults faults;

 private:
  Meeting(int ranks, std::chrono::milliseconds patience) : ranks_(ranks), patience_(patience.count()) {}
  static int64_t now();  // milliseconds
  struct Slot {
    std::atomic<bool> published = false;
    char handle[nccl::kNetHandleBytes] = {};
  };
  const int ranks_;
  const int64_t patience_;  // milliseconds
  std::atomic<int64_t> lastMove_ = now();
  std::atomic<bool> givenUp_ = false;
  std::atomic<int> arrivals_ = 0;  // of all rounds together
  Slot slots_[kMostLinks];
};

}  // namespace polyrail::contract
