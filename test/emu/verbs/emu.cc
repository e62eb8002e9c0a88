// SPDX-License-Identifier: Apache-2.0
#include "test/emu/verbs/emu.h"

#include <algorithm>
#include <cstdio>

#include "test/emu/verbs/face.h"

using namespace polyrail::emu;

namespace {

class Locked {
 public:
  Locked() : session_(currentSession()) {
    if (session_) session_->lock();
  }
  ~Locked() {
    if (session_) session_->unlock();
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  World* world() { return session_ ? &session_->world() : nullptr; }

 private:
  Session* session_;
};

}  // namespace

EMU_EXPORT void emu_seal(const void* address, size_t length) {
  Locked in;
  if (in.world()) in.world()->memory().seal(address, length);
}

EMU_EXPORT void emu_unseal(const void* address, size_t length) {
  Locked in;
  if (in.world()) in.world()->memory().unseal(address, length);
}

EMU_EXPORT int emu_violations(char* text, size_t size) {
  Locked in;
  if (!in.world()) return 0;
  const auto& all = in.world()->memory().violations();
  if (text && size > 0) std::snprintf(text, size, "%s", all.empty() ? "" : all.back().c_str());
  return static_cast<int>(all.size());
}

EMU_EXPORT int emu_objects(char* text, size_t size) {
  Locked in;
  if (!in.world()) return 0;
  if (text && size > 0) std::snprintf(text, size, "%s", in.world()->census.text().c_str());
  return static_cast<int>(in.world()->census.total());
}

EMU_EXPORT int emu_traffic(char* text, size_t size) {
  Locked in;
  if (!in.world()) return 0;
  std::string all;
  for (const auto& port : in.world()->ports()) {
    if (port->device->host != currentSession()->host()) continue;
    all += (all.empty() ? "" : ", ") + port->device->spec->name + " " + std::to_string(port->sentBytes) + " bytes " +
           std::to_string(port->reads) + " reads";
  }
  if (text && size > 0) std::snprintf(text, size, "%s", all.c_str());
  return static_cast<int>(all.size());
}

EMU_EXPORT int emu_calls(const char* name) {
  Locked in;
  const auto* found = std::find(kCallNames.begin(), kCallNames.end(), name);
  if (!in.world() || found == kCallNames.end()) return -1;
  const auto call = static_cast<Call>(found - kCallNames.begin());
  return static_cast<int>(in.world()->faults().calls(call, currentSession()->host()));
}
