// SPDX-License-Identifier: Apache-2.0
// Memory of exceptions in flight, for plugins that link libstdc++ statically. libstdc++'s own (eh_alloc.cc) comes
// with a static constructor that allocates a 70 KB reserve at every dlopen and leaves it behind at dlclose. This one
// has no constructor; its reserve, for throwing std::bad_alloc when there is no memory, is a few static slots. It is
// an object of its own, in no archive: programs with a shared libstdc++ must keep that one's functions.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {

// Before each exception lies libstdc++'s header (__cxa_refcounted_exception, 128 bytes where we run), which it finds
// by its own size from the exception's address; any room at least as large, aligned as much and zeroed will do.
constexpr size_t kHeader = 256;
constexpr size_t kSlotBytes = 512;
constexpr size_t kSlots = 16;

struct alignas(std::max_align_t) Slot {
  char bytes[kSlotBytes];
};
constinit Slot gSlots[kSlots] = {};
constinit std::atomic_flag gTaken[kSlots] = {};

void* fromReserve(size_t bytes) {
  if (bytes > kSlotBytes) return nullptr;
  for (size_t i = 0; i < kSlots; i++)
    if (!gTaken[i].test_and_set(std::memory_order_acquire)) return gSlots[i].bytes;
  return nullptr;
}

bool toReserve(void* memory) {
  for (size_t i = 0; i < kSlots; i++) {
    if (memory != gSlots[i].bytes) continue;
    gTaken[i].clear(std::memory_order_release);
    return true;
  }
  return false;
}

}  // namespace

// The Itanium C++ ABI's names and contracts (level II, 2.4.2): allocation cannot fail, so the end of all memory is
// the end of the process, as in libstdc++.
extern "C" void* __cxa_allocate_exception(size_t bytes) noexcept {
  const size_t all = kHeader + bytes;
  void* memory = std::malloc(all);
  if (!memory) memory = fromReserve(all);
  if (!memory) std::abort();
  std::memset(memory, 0, all);
  return static_cast<char*>(memory) + kHeader;
}

extern "C" void __cxa_free_exception(void* exception) noexcept {
  void* memory = static_cast<char*>(exception) - kHeader;
  if (!toReserve(memory)) std::free(memory);
}
