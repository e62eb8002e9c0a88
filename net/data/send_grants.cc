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

// The header is there. A grant counts when all its lines agree, whatever order they landed in.
bool SendComm::takeGrant(uint64_t number) {
  Slot& slot = slots_[number % kSlots];
  if (slot.unused | slot.inUse) return false;  // sends of the slot's last round are not reported done
  const GrantEntry& e = ring_->entry[number % kSlots];
  const unsigned requests = e.header.requests;
  if (requests == 0 || requests > kGroup) return failGrant(requests);
  if (!allThere(e, number, requests)) return false;
  Entry* entry = &entries_[number % kSlots * kGroup];
  for (unsigned r = 0; r < requests; r++) entry[r].grant = e.line[r];
  slot.number = number;
  slot.unused = static_cast<uint8_t>((1u << requests) - 1);
  slot.requests = static_cast<uint8_t>(requests);
  return true;
}

bool SendComm::failGrant(unsigned requests) {
  fail(Outcome::kRemoteError, Ending::kProtocol,
       "the peer granted " + std::to_string(requests) + " receives at once");
  return false;
}

// Asked for only when some path has none left. The newest grant taken stays where it is until one of the same slot
// comes, and then its counters are true as well; a credit line older than it has nothing new to say.
void SendComm::takeCredit() {
  takeCredit(ring_->entry[newest_ % kSlots].header.posted);
  if (loadTag(ring_->credit.tag) > 0 && ring_->credit.newest >= newest_) takeCredit(ring_->credit.posted);
}

// More than kReceives ahead of what was sent is no credit but a counter from before it wrapped.
void SendComm::takeCredit(const uint16_t* posted) {
  for (unsigned p = 0; p < scheduler_.paths(); p++) {
    PathState& s = paths_[p];
    const uint16_t told = static_cast<uint16_t>(posted[p] - s.sent);
    if (told <= kReceives && told > static_cast<uint16_t>(s.posted - s.sent)) s.posted = posted[p];
    refreshEligible(p);
  }
}

[[gnu::always_inline]] inline void SendComm::takeGrants() {
  while (loadTag(ring_->entry[(newest_ + 1) % kSlots].header.tag) == newest_ + 1 && takeGrant(newest_ + 1)) newest_++;
}

[[gnu::always_inline]] inline SendComm::Entry* SendComm::use(uint64_t number, unsigned request) {
  Slot& slot = slots_[number % kSlots];
  const uint8_t bit = static_cast<uint8_t>(1u << request);
  slot.unused ^= bit;
  slot.inUse |= bit;
  while (oldestOpen_ <= newest_ && slots_[oldestOpen_ % kSlots].unused == 0) oldestOpen_++;
  Entry& entry = entries_[number % kSlots * kGroup + request];
  entry.slot = number;
  entry.immediate = Immediate::of(number, request, 0, false).bits;
  return &entry;
}

SendComm::Entry* SendComm::match(int tag) {
  takeGrants();
  for (uint64_t number = oldestOpen_; number <= newest_; number++) {
    Entry* entries = &entries_[number % kSlots * kGroup];
    for (unsigned rest = slots_[number % kSlots].unused; rest; rest &= rest - 1) {
      const unsigned r = static_cast<unsigned>(std::countr_zero(rest));
      if (entries[r].grant.userTag == tag) return use(number, r);
    }
  }
  return nullptr;
}

}  // namespace polyrail::net
