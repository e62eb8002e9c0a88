// SPDX-License-Identifier: Apache-2.0
// The user's memory of one comm, so that all of it can be registered on a sibling's rail when the comm needs that
// rail, and what comes later too. Shared by the comm's end and its mhandles, which NCCL may give back in any order.
// Any thread: NCCL registers while control extends; the mutex is held while verbs registers.
#pragma once

#include <memory>
#include <vector>

#include "common/mutex.h"
#include "net/data/gate.h"
#include "net/memory/rail_memory.h"

namespace polyrail::net {

class CommMemory : public std::enable_shared_from_this<CommMemory> {
 public:
  // `rails` in the order of the comm's; the first `own` are registered on at once.
  CommMemory(std::vector<MemoryRail> rails, size_t own) : rails_(std::move(rails)), own_(own) {}

  // On the comm's own rails and on those of siblings that it was extended to. Error as RailMemory::create.
  Result<std::unique_ptr<RailMemory>> add(const MemoryRange& range);
  // Registers all that there is on one more rail. The keys change while `gate` is held, for the data path reads them.
  // After an error none has.
  Status extend(unsigned rail, Gate& gate);

 private:
  friend class RailMemory;
  void remove(RailMemory& memory);

  const std::vector<MemoryRail> rails_;
  const size_t own_;
  Mutex mutex_;
  std::vector<RailMemory*> all_;
  std::vector<unsigned> extended_;
};

}  // namespace polyrail::net
