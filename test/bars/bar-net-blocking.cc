// SPDX-License-Identifier: Apache-2.0
// The whole plugin, as it ships, on NICs that cost nothing, its calling thread traced: connect and accept make no
// system call that could wait and at most four control verbs a call, also when addresses have just changed; isend,
// irecv and test make no system call at all.
#include <fmt/format.h>
#include <infiniband/verbs.h>
#include <sys/mman.h>

#include <new>

#include "net/path/path_set.h"
#include "test/contract/host/syscall_watch.h"
#include "test/null-verbs/plugin_pair.h"

using namespace polyrail;
using namespace polyrail::contract;

namespace {

constexpr unsigned kRails = 4;
constexpr size_t kSizes[] = {8, 4096, 3 << 20};

// What the child tells besides its status.
struct Told {
  long mostVerbs;
  char why[256];
};

int tell(Told* told, const Status& status) {
  if (status.ok()) return 0;
  std::snprintf(told->why, sizeof told->why, "%s", status.message().c_str());
  return 1;
}

Status oneLife(PluginPair& pair) {
  if (Status s = pair.connect(); !s.ok()) return s;
  if (Status s = pair.enroll(kSizes[2]); !s.ok()) return s;
  for (const size_t size : kSizes)
    if (!pair.move(128, 8, size)) return Status::error("a message does not arrive");
  return pair.close();
}

// The same again after each kind of event that makes addresses stale.
int lives(std::atomic<const char*>& running, Told* told) {
  PluginPair pair(kRails, &running);
  Status status = oneLife(pair);
  for (const int event : {IBV_EVENT_GID_CHANGE, IBV_EVENT_LID_CHANGE, IBV_EVENT_PORT_ERR, IBV_EVENT_PORT_ACTIVE}) {
    if (status.ok()) status = pair.event(1, event);
    if (status.ok()) status = oneLife(pair);
  }
  told->mostVerbs = pair.mostVerbs();
  return tell(told, status);
}

// The calls of which the bar speaks: "connect: openat". A close waits for whoever of ours is looking at the comm.
bool isAsked(const std::string& name) {
  for (const char* call : {"listen:", "connect:", "accept:", "isend:", "irecv:", "test:"})
    if (name.rfind(call, 0) == 0) return true;
  return false;
}

void bar(const char* name, long figure, long limit, const std::string& reason, bool whole) {
  fmt::print("BAR {} {} <={} {} {}\n", name, figure, limit, whole && figure <= limit ? "holds" : "falls-short",
             reason);
}

}  // namespace

int main() {
  void* shared = mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  Told* told = new (shared) Told{};
  const Result<SyscallReport> watched = watchSyscalls([&](auto& running) { return lives(running, told); });
  if (!watched.ok()) {
    fmt::print("BAR net-blocking-calls - 0 skipped {}\n", watched.message());
    return 0;
  }
  const SyscallReport& report = watched.value();
  const bool whole = report.status == 0;
  std::string names = whole ? "" : fmt::format("status {}: {}", report.status, told->why);
  long blocking = 0, transfers = 0;
  for (const auto& [name, count] : report.blocking) {
    if (!isAsked(name)) continue;
    blocking += count;
    names += fmt::format("{}{} x{}", names.empty() ? "" : ", ", name, count);
  }
  for (const char* call : {"isend", "irecv", "test"})
    if (const auto found = report.calls.find(call); found != report.calls.end()) transfers += found->second;
  bar("net-blocking-calls", blocking, 0, names, whole);
  bar("net-transfer-system-calls", transfers, 0, "of isend, irecv and test", whole);
  bar("net-plugin-verbs-a-call", told->mostVerbs, net::kVerbsPerCall, "control verbs in one connect or accept",
      whole);
}
