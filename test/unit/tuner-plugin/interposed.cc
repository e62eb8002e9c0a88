// SPDX-License-Identifier: Apache-2.0
#include "test/unit/tuner-plugin/interposed.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cstddef>

namespace {

// Plain thread-locals in the program itself need no allocation on first use.
thread_local bool tCounting = false;
thread_local polyrail::test::Calls tCalls;

thread_local uint64_t tAllowed = UINT64_MAX;
thread_local bool tStruck = false;

// False when it must fail.
[[maybe_unused]] bool allocated() {
  tCalls.allocations += tCounting;
  if (tAllowed == UINT64_MAX) return true;
  if (tAllowed > 0) return tAllowed--, true;
  return tStruck = true, false;
}
[[maybe_unused]] void freed() { tCalls.frees += tCounting; }

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

namespace polyrail::test {

Counted::Counted() {
  tCalls = {};
  tCounting = true;
}
Counted::~Counted() { tCounting = false; }
Calls Counted::calls() const { return tCalls; }

OutOfMemory::OutOfMemory(uint64_t allowed) {
  tStruck = false;
  tAllowed = allowed;
}
OutOfMemory::~OutOfMemory() { tAllowed = UINT64_MAX; }
bool OutOfMemory::struck() { return tStruck; }

}  // namespace polyrail::test

// Sanitizers bring their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);

[[gnu::visibility("default")]] void* malloc(size_t bytes) { return allocated() ? __libc_malloc(bytes) : nullptr; }
[[gnu::visibility("default")]] void* calloc(size_t n, size_t bytes) {
  return allocated() ? __libc_calloc(n, bytes) : nullptr;
}
[[gnu::visibility("default")]] void* realloc(void* p, size_t n) {
  return allocated() ? __libc_realloc(p, n) : nullptr;
}
[[gnu::visibility("default")]] void* aligned_alloc(size_t a, size_t n) {
  return allocated() ? __libc_memalign(a, n) : nullptr;
}
[[gnu::visibility("default")]] int posix_memalign(void** out, size_t alignment, size_t bytes) {
  *out = allocated() ? __libc_memalign(alignment, bytes) : nullptr;
  return *out ? 0 : 12;
}
[[gnu::visibility("default")]] void free(void* p) { freed(), __libc_free(p); }

[[gnu::visibility("default")]] int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static const auto real = next<int (*)(pthread_mutex_t*)>("pthread_mutex_lock");
  tCalls.locks += tCounting;
  return real(mutex);
}
[[gnu::visibility("default")]] int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  static const auto real = next<int (*)(pthread_rwlock_t*)>("pthread_rwlock_rdlock");
  tCalls.locks += tCounting;
  return real(lock);
}
}
#endif
