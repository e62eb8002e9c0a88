// SPDX-License-Identifier: Apache-2.0
#include "test/emu/core/memory.h"

#include "test/emu/core/device.h"

namespace polyrail::emu {

void Memory::seal(const void* address, uint64_t length) {
  const auto start = reinterpret_cast<uint64_t>(address);
  if (length > 0) sealed_[start] = start + length;
}

void Memory::unseal(const void* address, uint64_t length) {
  const auto start = reinterpret_cast<uint64_t>(address);
  auto it = sealed_.upper_bound(start);
  if (it != sealed_.begin()) --it;
  while (it != sealed_.end() && it->first < start + length)
    it = it->second > start ? sealed_.erase(it) : std::next(it);
}

void Memory::check(const void* address, uint64_t length, const PacketHeader& from) {
  if (sealed_.empty() || length == 0) return;
  const auto start = reinterpret_cast<uint64_t>(address);
  auto it = sealed_.upper_bound(start + length - 1);
  if (it == sealed_.begin()) return;
  --it;
  if (it->second <= start) return;
  violate("write after done: " + std::to_string(length) + " bytes of queue pair " + std::to_string(from.sourceQpn) +
          " (psn " + std::to_string(from.psn) + ") landed in a sealed buffer at offset " +
          std::to_string(start > it->first ? start - it->first : 0));
}

void Memory::violate(std::string what) {
  if (violations_.size() < 1000) violations_.push_back(std::move(what));
}

uint8_t* toHost(const Mr& mr, uint64_t address) { return static_cast<uint8_t*>(mr.face.addr) + (address - mr.iova); }

const Mr* findRegion(const Device& device, const Pd* pd, uint32_t key, uint64_t address, uint64_t length,
                     unsigned need) {
  const auto it = device.mrs.find(key);
  if (it == device.mrs.end()) return nullptr;
  const Mr* mr = it->second;
  if (mr->pd != pd || (mr->access & need) != need) return nullptr;
  if (address < mr->iova || length > mr->face.length || address - mr->iova > mr->face.length - length) return nullptr;
  return mr;
}

bool resolve(const Device& device, const Pd* pd, const std::vector<ibv_sge>& list, uint64_t offset, uint64_t length,
             unsigned need, std::vector<Piece>* out) {
  for (const ibv_sge& sge : list) {
    if (length == 0) break;
    if (offset >= sge.length) {
      offset -= sge.length;
      continue;
    }
    const uint64_t part = std::min<uint64_t>(sge.length - offset, length);
    const Mr* mr = findRegion(device, pd, sge.lkey, sge.addr + offset, part, need);
    if (!mr) return false;
    out->push_back({toHost(*mr, sge.addr + offset), static_cast<uint32_t>(part)});
    length -= part;
    offset = 0;
  }
  return length == 0;
}

}  // namespace polyrail::emu
