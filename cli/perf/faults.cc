// SPDX-License-Identifier: Apache-2.0
#include "cli/perf/faults.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace polyrail::cli {
namespace {

constexpr char kMark[] = "emu_objects";  // a symbol that only the emulated verbs export

}  // namespace

Status announceFaults(const std::string& script) {
  if (script.empty()) return {};
  if (access(script.c_str(), R_OK) != 0) return Status::error(script + ": " + std::strerror(errno));
  setenv("EMU_FAULTS", script.c_str(), 1);
  return {};
}

Status checkFaultsArePlayed(const std::string& script) {
  if (script.empty()) return {};
  const char* library = std::getenv("NCCL_IBVERBS_LIB");
  void* verbs = dlopen(library ? library : "libibverbs.so.1", RTLD_NOW | RTLD_NOLOAD);
  const bool emulated = verbs && dlsym(verbs, kMark);
  if (verbs) dlclose(verbs);
  if (emulated) return {};
  return Status::error(
      "--fault is played by the emulated verbs only (NCCL_IBVERBS_LIB names no such library); cut a real rail with "
      "`ip link set DEVICE down` or `tc qdisc` while this runs");
}

}  // namespace polyrail::cli
