// SPDX-License-Identifier: Apache-2.0
#include "net/verbs/symbols.h"

#include <dlfcn.h>

#include <cstring>

namespace polyrail::net {

const char* resolve(void* handle, std::span<const Symbol> symbols, void* table) {
  for (const Symbol& s : symbols) {
    void* address = dlvsym(handle, s.name, s.version);
    if (!address && s.required) return s.name;
    std::memcpy(static_cast<char*>(table) + s.offset, &address, sizeof address);
  }
  return nullptr;
}

std::string loaderReason() {
  const char* reason = dlerror();
  return reason ? reason : "unknown loader error";
}

}  // namespace polyrail::net
