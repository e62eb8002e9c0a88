// SPDX-License-Identifier: Apache-2.0
// For a plugin's entry points that may throw inside.
#pragma once

#include <cxxabi.h>

#include <cstdlib>

namespace polyrail {

// glibc allocates a dlopened library's thread-local block when a thread first touches it, and ends the process when
// it cannot. libstdc++ keeps the exceptions in flight there, so the first std::bad_alloc of a thread could do that.
// This touches the block while there is memory; false when there is none left, and then nothing should be tried.
inline bool readyToThrow() noexcept {
  void* volatile probe = std::malloc(4096);
  if (!probe) return false;
  std::free(probe);
  return abi::__cxa_get_globals() != nullptr;
}

}  // namespace polyrail
