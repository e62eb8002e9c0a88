// SPDX-License-Identifier: Apache-2.0
// Who may touch which bytes, and what went wrong. Every access of the emulated NICs goes through a registered region
// and is checked here; ranges that a test has sealed (a receive was reported done) must not be written any more, and
// a write that lands in one is a violation. Owned by the World and used under its lock.
#pragma once

#include <infiniband/verbs.h>

#include <map>
#include <string>
#include <vector>

#include "test/emu/core/packet.h"

namespace polyrail::emu {

class Device;
struct Mr;
struct Pd;

class Memory {
 public:
  // Declares [address, +length) finished: no NIC may write it until unseal. Seals may overlap nothing.
  void seal(const void* address, uint64_t length);
  void unseal(const void* address, uint64_t length);
  // Called before each write; records a violation.
  void check(const void* address, uint64_t length, const PacketHeader& from);
  void violate(std::string what);
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  std::map<uint64_t, uint64_t> sealed_;  // start -> end
  std::vector<std::string> violations_;
};

// The region behind a key if [address, +length) lies in it, it is of that PD and allows `need`; else null.
const Mr* findRegion(const Device& device, const Pd* pd, uint32_t key, uint64_t address, uint64_t length,
                     unsigned need);
uint8_t* toHost(const Mr& mr, uint64_t address);

// Bytes [offset, offset+length) of a scatter/gather list as pieces of memory, appended to `out`; false when a key
// does not allow it. Length 0 checks nothing.
bool resolve(const Device& device, const Pd* pd, const std::vector<ibv_sge>& list, uint64_t offset, uint64_t length,
             unsigned need, std::vector<Piece>* out);

}  // namespace polyrail::emu
