// SPDX-License-Identifier: Apache-2.0
// Cases of life and death: what is left behind.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "test/contract/host/net_alone.h"
#include "test/contract/host/net_ranks.h"
#include "test/contract/host/pair_traffic.h"

namespace polyrail::contract {
namespace {

using std::chrono::milliseconds;

// What other libraries start once and keep, as the emulated libibverbs its NIC, is there after the warm-up.
constexpr int kCycles = 40, kWarmUp = 16;
constexpr size_t kLeakPerCycle = 256;  // bytes; glibc's loader keeps some tens

size_t entries(const char* folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}
size_t openFiles() { return entries("/proc/self/fd"); }

// Not counted: the thread in which the emulated libibverbs plays the NIC, which is no business of a plugin's.
size_t threads() {
  size_t count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "comm");
    std::string name;
    if (std::getline(file, name)) count += name != "emulated-nic";
  }
  return count;
}

// A thread that was joined may show for a moment.
bool threadsAre(size_t wanted) {
  for (int i = 0; i < 100 && threads() != wanted; i++) std::this_thread::sleep_for(milliseconds(5));
  return threads() == wanted;
}

bool cycle(const CaseContext& context, size_t threadsBefore, Faults& faults) {
  auto host = NetHost::load(context.plugin, context.abi, context.fused);
  if (!host.ok()) return faults.add(host.message()), false;
  Result<void*> comm = host.value()->join(1);
  if (!comm.ok()) return faults.add(comm.message()), false;
  { NetPair pair(*host.value(), comm.value(), 0, context.patience, faults); }
  host.value()->leave(comm.value());
  if (host.value()->calls().abi >= 11 && !threadsAre(threadsBefore))
    faults.add("a thread lives on after the last finalize: NCCL may unload the library under it");
  host.value()->unload();
  if (!threadsAre(threadsBefore)) faults.add("a thread lives on after dlclose");
  if (isMapped(context.plugin)) faults.add("the library is still mapped after dlclose");
  return !faults.any();
}

std::string loadAndUnload(const CaseContext& context, Faults& faults) {
  std::thread([] {}).join();  // with the first thread comes one of ThreadSanitizer's own, which stays
  // From the first life on: a thread that is left behind in it may crash in the second, when its code is gone.
  const size_t threadsBefore = threads();
  size_t files = 0, heap = 0;
  for (int i = 0; i < kCycles; i++) {
    if (i == kWarmUp) files = openFiles(), heap = mallinfo2().uordblks;
    if (!cycle(context, threadsBefore, faults)) return "";
  }
  if (openFiles() != files)
    faults.add(fmt::format("{} files stay open after {} cycles", openFiles() - files, kCycles - kWarmUp));
  const size_t heapNow = mallinfo2().uordblks, grown = heapNow - std::min(heap, heapNow);
  if (grown > kLeakPerCycle * (kCycles - kWarmUp))
    faults.add(fmt::format("{} bytes leak with each load, connection and unload", grown / (kCycles - kWarmUp)));
  return "";
}

// Communicators come and go in any order while others go on.
std::string communicators(const CaseContext& context, Faults& faults) {
  auto host = NetHost::load(context.plugin, context.abi, context.fused);
  if (!host.ok()) return faults.add(host.message()), "";
  std::vector<void*> comms;
  for (uint64_t id = 1; id <= 4; id++) {
    Result<void*> comm = host.value()->join(id);
    if (!comm.ok()) return faults.add(comm.message()), "";
    comms.push_back(comm.value());
  }
  NetPair last(*host.value(), comms[3], 0, context.patience, faults);
  for (const size_t leaving : {0u, 2u, 1u}) {
    NetPair pair(*host.value(), comms[leaving], 0, context.patience, faults);
    pair.close();
    host.value()->leave(comms[leaving]);
  }
  NetPair again(*host.value(), comms[3], 0, context.patience, faults);
  again.close();
  last.close();
  host.value()->leave(comms[3]);
  return "";
}

// A split communicator that shares its parent's resources has its context, and lives on when the parent is gone; only
// the last of them finalizes (src/init.cc commFree, 2.30.7).
std::string parentContext(const CaseContext& context, Faults& faults) {
  Alone parent(context, faults);
  if (!parent.up()) return "";
  NetPair child(parent.host(), parent.context(), 0, context.patience, faults);
  {
    NetPair own(parent.host(), parent.context(), 0, context.patience, faults);
    if (!own.up() || !child.up()) return "";
    PairTraffic first(own, Place::kHost, 4096), second(child, Place::kHost, 4096);
    first.exchange(4096, 0, context.patience), second.exchange(4096, 0, context.patience);
    first.deregister(), second.deregister();
  }
  NetPair late(parent.host(), parent.context(), 0, context.patience, faults);
  if (!late.up()) return "";
  PairTraffic traffic(child, Place::kHost, 4096);
  traffic.exchange(4000, 0, context.patience);
  traffic.deregister();
  return "";
}

void exchange(NetPair& pair, milliseconds patience) {
  if (!pair.up()) return;
  PairTraffic traffic(pair, Place::kHost, 100'000);
  for (const size_t size : {1u, 100'000u}) traffic.exchange(size, 7, patience);
  traffic.deregister();
}

// PyTorch's NCCL and the application's own share the library, each with its logger and its idea of the last
// communicator; the second has a connection before and after the first one ends. A listen on a device that is not
// there gives the plugin something to say.
std::string twoNccls(const CaseContext& context, Faults& faults) {
  auto first = NetHost::load(context.plugin, context.abi, context.fused);
  auto second = NetHost::load(context.plugin, context.abi, context.fused);
  if (!first.ok() || !second.ok()) return faults.add("cannot be loaded twice"), "";
  Result<void*> a = first.value()->join(1), b = second.value()->join(2);
  if (!a.ok() || !b.ok()) return faults.add("the second NCCL's init failed"), "";
  {
    NetPair one(*first.value(), a.value(), 0, context.patience, faults);
    NetPair lasting(*second.value(), b.value(), 0, context.patience, faults);
    exchange(one, context.patience);
    exchange(lasting, context.patience);
    one.close();
    first.value()->leave(a.value());
    first.value()->unload();
    first.value().reset();  // and its logger
    exchange(lasting, context.patience);
    alignas(16) char handle[nccl::kNetHandleBytes];
    void* none = nullptr;
    second.value()->calls().listen(b.value(), 1000, handle, &none);
    if (none) second.value()->calls().closeListen(none);
  }
  second.value()->leave(b.value());
  second.value()->unload();
  if (isMapped(context.plugin)) faults.add("the library is still mapped after both NCCLs closed it");
  second.value().reset();
  if (strayLogCalls() != 0) faults.add("logged through a logger that was gone");
  return "";
}

constexpr NetCase kCases[] = {
    {"load-and-unload", "40 times: no thread, file, memory or mapping is left behind", loadAndUnload},
    {"communicators", "init and finalize for each communicator, in any order", communicators},
    {"parent-context", "communicators that share a context, one outliving the other", parentContext},
    {"two-nccls", "two copies of NCCL in one process share the library", twoNccls},
};

}  // namespace

std::span<const NetCase> lifeCycleCases() { return kCases; }

}  // namespace polyrail::contract
