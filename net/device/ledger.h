// SPDX-License-Identifier: Apache-2.0
// Keeps count of something that runs out at scale (queue pairs of a NIC, open files of the process), so that
// connections become narrower before it is gone, and the one that cannot be served says why in a line that names the
// remedy, in place of an ENOMEM from a verb. Owned by an OpenDevice or the plugin; any thread, no lock; not for the
// hot path. Leases must end before their ledger.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "common/status.h"

namespace polyrail::net {

class Ledger {
 public:
  class Lease {
   public:
    Lease() = default;
    Lease(Lease&& other) noexcept : ledger_(std::exchange(other.ledger_, nullptr)), count_(other.count_) {}
    Lease& operator=(Lease&& other) noexcept {
      std::swap(ledger_, other.ledger_);
      std::swap(count_, other.count_);
      return *this;
    }
    ~Lease() {
      if (ledger_) ledger_->used_ -= count_;
    }

   private:
    friend class Ledger;
    Lease(Ledger* ledger, int64_t count) : ledger_(ledger), count_(count) {}
    Ledger* ledger_ = nullptr;
    int64_t count_ = 0;
  };

  // `what` as in "queue pairs of mlx5_0"; a limit of 0 or less: unknown, nothing is ever refused.
  Ledger(std::string what, int64_t limit, std::string remedy)
      : what_(std::move(what)), remedy_(std::move(remedy)), limit_(limit) {}

  // How many of `wished` (and at least `least`) a new connection should take: all of them while less than half is
  // used, `least` from there on.
  int64_t offer(int64_t wished, int64_t least) const;
  // The error is one line: what ran out, how many there are, the remedy.
  Result<Lease> take(int64_t count);
  // True once, when it first became scarce: the caller then logs scarcity().
  bool scarceForTheFirstTime();
  std::string scarcity() const;

  int64_t used() const { return used_; }
  int64_t limit() const { return limit_; }

 private:
  bool scarce() const { return limit_ > 0 && used_ >= limit_ / 2; }

  const std::string what_, remedy_;
  const int64_t limit_;
  std::atomic<int64_t> used_{0};
  std::atomic<bool> said_{false};
};

}  // namespace polyrail::net
