// SPDX-License-Identifier: Apache-2.0
#include "net/device/ledger.h"

#include <algorithm>

namespace polyrail::net {

int64_t Ledger::offer(int64_t wished, int64_t least) const { return scarce() ? std::min(wished, least) : wished; }

Result<Ledger::Lease> Ledger::take(int64_t count) {
  const int64_t before = used_.fetch_add(count);
  if (limit_ <= 0 || before + count <= limit_) return Lease(this, count);
  used_ -= count;
  return Status::error("all " + std::to_string(limit_) + " " + what_ + " are in use (" + std::to_string(before) +
                       ", and " + std::to_string(count) + " more are needed); " + remedy_);
}

bool Ledger::scarceForTheFirstTime() { return scarce() && !said_.exchange(true); }

std::string Ledger::scarcity() const {
  return "half of the " + std::to_string(limit_) + " " + what_ +
         " are in use: new connections get one path on each rail; " + remedy_;
}

}  // namespace polyrail::net
