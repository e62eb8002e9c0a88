// SPDX-License-Identifier: Apache-2.0
// Cases of loading, properties, connections and registrations.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <vector>

#include "test/contract/host/log_sink.h"
#include "test/contract/host/net_pair.h"
#include "test/contract/host/net_ranks.h"

namespace polyrail::contract {
namespace {

// A communicator alone with the plugin; faults and null when it does not come up.
struct Alone {
  Alone(const CaseContext& context, Faults& faults) {
    auto loaded = NetHost::load(context.plugin, sink.function(), context.abi);
    if (!loaded.ok()) {
      faults.add(loaded.message());
      return;
    }
    host = std::move(loaded).value();
    const Result<void*> joined = host->join(1);
    up = joined.ok();
    if (up)
      comm = joined.value();
    else
      faults.add(joined.message());
    if (!up && sink.count(nccl::LogLevel::kWarn) == 0)
      faults.add("no device, and no warning: NCCL falls back to its own transport in silence");
  }
  ~Alone() {
    if (up) host->leave(comm);
  }
  LogSink sink;
  std::unique_ptr<NetHost> host;
  void* comm = nullptr;
  bool up = false;
};

std::string tables(const CaseContext& context, Faults& faults) {
  Result<Library> library = Library::open(context.plugin);
  if (!library.ok()) return faults.add(library.message()), "";
  for (const std::string& missing : missingFunctions(library.value())) faults.add(missing + " is missing");
  const std::string before = tableBytes(library.value());
  {
    Alone alone(context, faults);
    if (!alone.up) return "";
    NetPair pair(*alone.host, alone.comm, 0, context.patience, faults);
  }
  if (tableBytes(library.value()) != before)
    faults.add("a table changed after it was loaded: NCCL reads it in place");
  return "";
}

void checkProperties(const nccl::NetPropertiesV12& p, int device, int mostFused, Faults& faults) {
  const auto need = [&](bool good, const char* what) {
    if (!good) faults.add(fmt::format("device {}: {}", device, what));
  };
  need(p.name != nullptr && p.name[0] != 0, "no name");
  need(p.speed > 0, "speed is not above 0");
  need(std::isfinite(p.latency) && p.latency >= 0, "latency is no time");
  need(p.maxComms > 0, "maxComms is not above 0");
  need(p.maxRecvs >= 1, "maxRecvs is below 1");
  need(p.ptrSupport & nccl::kPtrHost, "host memory is not supported");
  need(p.netDeviceType == nccl::NetDeviceType::kHost, "not driven by the host");
  need(p.vProps.ndevs >= 1 && p.vProps.ndevs <= mostFused, "vProps.ndevs is not set: NCCL copies as many entries");
  const auto bytesGood = [](size_t bytes) { return bytes > 0 && bytes <= size_t{nccl::kNetMaxBytes}; };
  need(bytesGood(p.maxP2pBytes) && bytesGood(p.maxCollBytes), "maxP2pBytes or maxCollBytes is not in (0, 1 TiB]");
  std::error_code ignored;
  need(!p.pciPath || std::filesystem::exists(p.pciPath, ignored), "pciPath does not exist: the NIC is misplaced");
}

std::string properties(const CaseContext& context, Faults& faults) {
  Alone alone(context, faults);
  if (!alone.up) return "";
  const int mostFused = alone.host->calls().abi >= 12 ? nccl::kNetMaxDevsPerNic : nccl::kNetMaxDevsPerNicV11;
  for (int device = 0; device < alone.host->devices(); device++) {
    nccl::NetPropertiesV12 p{}, again{};
    const bool got = alone.host->calls().getProperties(device, &p) == nccl::Result::kSuccess &&
                     alone.host->calls().getProperties(device, &again) == nccl::Result::kSuccess;
    if (!got)
      faults.add(fmt::format("device {}: getProperties failed", device));
    else
      checkProperties(p, device, mostFused, faults);
    if (got && (p.guid != again.guid || p.speed != again.speed)) faults.add("properties differ from call to call");
  }
  return "";
}

std::string selfConnection(const CaseContext& context, Faults& faults) {
  Alone alone(context, faults);
  if (!alone.up) return "";
  for (int device = 0; device < alone.host->devices(); device++) {
    NetPair pair(*alone.host, alone.comm, device, context.patience, faults);
    if (!pair.up()) return "";
    std::vector<char> memory(2 << 20);
    for (void* comm : {pair.send(), pair.recv()}) {
      void* mhandle = nullptr;
      if (alone.host->calls().regMr(comm, memory.data(), memory.size(), nccl::kPtrHost, &mhandle) !=
          nccl::Result::kSuccess)
        faults.add("regMr of 2 MiB failed");
      else if (alone.host->calls().deregMr(comm, mhandle) != nccl::Result::kSuccess)
        faults.add("deregMr failed");
    }
  }
  return "";
}

std::string acceptBeforeConnect(const CaseContext& context, Faults& faults) {
  Alone alone(context, faults);
  if (!alone.up) return "";
  char handle[nccl::kNetHandleBytes] = {};
  void* listener = nullptr;
  if (alone.host->calls().listen(alone.comm, 0, handle, &listener) != nccl::Result::kSuccess)
    return faults.add("listen failed"), "";
  for (int i = 0; i < 20; i++) {
    void* comm = nullptr;
    if (alone.host->calls().accept(listener, &comm) != nccl::Result::kSuccess)
      faults.add("accept failed because nobody has connected yet");
    if (comm) faults.add("accept made a comm although nobody has connected");
  }
  if (alone.host->calls().closeListen(listener) != nccl::Result::kSuccess)
    faults.add("closeListen of a listener that nobody used failed");
  return "";
}

std::string manyConnections(const CaseContext& context, Faults& faults) {
  TrafficPlan plan;
  plan.ranks = 3;
  for (int from = 0; from < 3; from++)
    for (int to = 0; to < 3; to++)
      if (from != to) addLinks(plan, from, to, 8, 6, 4096);
  runAsThreads(context, plan, faults);
  return "";
}

constexpr NetCase kCases[] = {
    {"tables", "every function that NCCL calls unguarded is there, and the tables stay as they are", tables},
    {"properties", "devices and their properties, each member set and in range", properties},
    {"self-connection", "connect and accept to oneself in one thread, 2 MiB registered on both", selfConnection},
    {"accept-before-connect", "accept says not yet, and a listener that nobody used closes", acceptBeforeConnect},
    {"many-connections", "48 connections come up at once, none waiting for another", manyConnections},
};

}  // namespace

std::span<const NetCase> setUpCases() { return kCases; }

}  // namespace polyrail::contract
