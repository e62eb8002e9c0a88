// SPDX-License-Identifier: Apache-2.0
// What the receiver granted, and which isend meets which request.
#include <cstring>

#include "net/data/send_comm.h"

namespace polyrail::net {
namespace {

bool allThere(const GrantEntry& e, uint64_t number, unsigned requests) {
  for (unsigned r = 0; r < requests; r++)
    if (loadTag(e.line[r].tag) != number) return false;
  return true;
}

}  // namespace

// A grant counts when all its lines agree, whatever order they landed in.
bool SendComm::takeGrant(uint64_t number) {
  Slot& slot = slots_[number % kSlots];
  if (slot.unused | slot.inUse) return false;  // sends of the slot's last round are not reported done
  const GrantEntry& e = set_.lines()[grantPath_]->memory.as<GrantRing>()->entry[number % kSlots];
  if (loadTag(e.header.tag) != number) return false;
  const unsigned requests = e.header.requests;
  if (requests == 0 || requests > kGroup) {
    fail(Outcome::kRemoteError, "the peer granted " + std::to_string(requests) + " receives at once");
    return false;
  }
  if (!allThere(e, number, requests)) return false;
  Entry* entry = &entries_[number % kSlots * kGroup];
  for (unsigned r = 0; r < requests; r++) entry[r].grant = e.line[r];
  takeCredit(e.header.posted);
  slot.number = number;
  slot.unused = static_cast<uint8_t>((1u << requests) - 1);
  return true;
}

// Counters only grow, so the newest of a grant and the credit line is the one further on.
void SendComm::takeCredit(const uint16_t* posted) {
  for (unsigned p = 0; p < scheduler_.paths(); p++) {
    PathState& s = paths_[p];
    if (static_cast<int16_t>(posted[p] - s.posted) > 0) s.posted = posted[p];
    if (!(eligible_ >> p & 1)) refreshEligible(p);
  }
}

void SendComm::takeGrants() {
  while (takeGrant(newest_ + 1)) newest_++;
}

SendComm::Entry* SendComm::match(int tag) {
  takeGrants();
  for (uint64_t number = oldestOpen_; number <= newest_; number++) {
    Slot& slot = slots_[number % kSlots];
    for (unsigned rest = slot.unused; rest; rest &= rest - 1) {
      const unsigned r = static_cast<unsigned>(std::countr_zero(rest));
      Entry& entry = entries_[number % kSlots * kGroup + r];
      if (entry.grant.userTag != tag) continue;
      slot.unused &= static_cast<uint8_t>(~(1u << r));
      slot.inUse |= static_cast<uint8_t>(1u << r);
      entry.slot = number;
      while (oldestOpen_ <= newest_ && slots_[oldestOpen_ % kSlots].unused == 0) oldestOpen_++;
      return &entry;
    }
  }
  return nullptr;
}

}  // namespace polyrail::net
