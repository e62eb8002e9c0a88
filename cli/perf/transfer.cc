// SPDX-License-Identifier: Apache-2.0
#include "cli/perf/transfer.h"

#include <fmt/format.h>

namespace polyrail::cli {
namespace {

Status checked(const char* call, nccl::Result result) {
  if (result == nccl::Result::kSuccess) return {};
  return Status::error(fmt::format("the plugin's {} returned {}", call, resultText(result)));
}

}  // namespace

Status startSend(const PerfPlugin& plugin, void* comm, const Slots& slots, int slot, size_t size, void** request) {
  *request = nullptr;
  return checked("isend",
                 plugin.calls().isend(comm, slots.at(slot), size, kPerfTag, slots.mhandle(), nullptr, request));
}

Status startReceive(const PerfPlugin& plugin, void* comm, const Slots& slots, int slot, void** request) {
  *request = nullptr;
  void* data = slots.at(slot);
  void* mhandle = slots.mhandle();
  void* parent = nullptr;
  size_t size = slots.capacity();
  int tag = kPerfTag;
  return checked("irecv", plugin.calls().irecv(comm, 1, &data, &size, &tag, &mhandle, &parent, request));
}

Result<bool> finished(const PerfPlugin& plugin, void* request, int* size) {
  int done = 0;
  if (Status s = checked("test", plugin.calls().test(request, &done, size)); !s.ok()) return s;
  return done != 0;
}

Status flushSlot(const SeriesEnd& end, int slot) {
  void* data = end.slots.at(slot);
  void* mhandle = end.slots.mhandle();
  void* request = nullptr;
  int size = static_cast<int>(end.slots.size());
  if (Status s = checked("iflush", end.plugin.calls().iflush(end.comm, 1, &data, &size, &mhandle, &request)); !s.ok())
    return s;
  Patience patience(end.control, end.patience);
  while (request != nullptr) {
    const Result<bool> done = finished(end.plugin, request, nullptr);
    if (!done.ok()) return done.status();
    if (done.value()) break;
    if (const Status s = patience.idle(); !s.ok()) return Status::error("a flush does not end: " + s.message());
  }
  return {};
}

}  // namespace polyrail::cli
