// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/driver/shared.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace polyrail::vgpu {

Shared* makeShared(int ranks) {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* shared = new (memory) Shared{};
  shared->ranks = ranks;
  return shared;
}

bool meet(Shared* shared) {
  const int round = shared->round.load();
  if (shared->arrived.fetch_add(1) + 1 == shared->ranks) {
    shared->arrived.store(0);
    shared->round.fetch_add(1);
    return shared->failed.load() == 0;
  }
  while (shared->round.load() == round) {
    if (shared->failed.load() != 0) return false;
    usleep(50);
  }
  return shared->failed.load() == 0;
}

}  // namespace polyrail::vgpu
