// SPDX-License-Identifier: Apache-2.0
#include "net/plugin/loggers.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <iterator>
#include <mutex>

#include "common/log.h"
#include "common/mutex.h"

namespace polyrail::net {
namespace {

struct Known {
  nccl::LogFunction logger;
  unsigned users;
};

// Constant-initialised and without destructors, as in library.cc. One for each copy of NCCL in the process; the
// oldest makes room.
constexpr size_t kMost = 8;
constinit Mutex gMutex;
constinit Known gKnown[kMost] = {};  // guarded by gMutex; the latest first, empty ones last

void shiftBack(size_t last) { std::copy_backward(gKnown, gKnown + last, gKnown + last + 1); }

bool isMapped(nccl::LogFunction logger) {
  Dl_info info;
  return dladdr(reinterpret_cast<void*>(logger), &info) != 0;
}

}  // namespace

void addLogger(nccl::LogFunction logger) {
  if (!logger) return;
  const std::lock_guard lock(gMutex);
  Known* const found =
      std::find_if(gKnown, gKnown + kMost - 1, [&](const Known& k) { return k.logger == logger || !k.logger; });
  const unsigned users = found->logger == logger ? found->users : 0;
  shiftBack(static_cast<size_t>(found - gKnown));
  gKnown[0] = {logger, users + 1};
}

void dropLogger(nccl::LogFunction logger) {
  const std::lock_guard lock(gMutex);
  Known* const found = std::find_if(gKnown, std::end(gKnown), [&](const Known& k) { return k.logger == logger; });
  if (!logger || found == std::end(gKnown) || --found->users > 0) return;
  std::copy(found + 1, std::end(gKnown), found);
  gKnown[kMost - 1] = {};
}

// The lock is held while the logger runs: it cannot be dropped under the call.
void relayLog(nccl::LogLevel level, unsigned long flags, const char* file, int line, const char* format, ...) {
  char text[Log::kMaxLine + 64];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const std::lock_guard lock(gMutex);
  for (const Known& known : gKnown)
    if (known.logger && isMapped(known.logger)) return known.logger(level, flags, file, line, "%s", text);
}

}  // namespace polyrail::net
