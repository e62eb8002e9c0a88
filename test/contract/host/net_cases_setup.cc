// SPDX-License-Identifier: Apache-2.0
// Cases of loading, and of devices and their properties.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "test/contract/host/net_alone.h"
#include "test/contract/host/pair_traffic.h"

namespace polyrail::contract {
namespace {

std::string comesUp(const CaseContext& context, Faults& faults) {
  const Alone alone(context, faults);
  return "";
}

std::string tables(const CaseContext& context, Faults& faults) {
  Result<Library> library = Library::open(context.plugin);
  if (!library.ok()) return faults.add(library.message()), "";
  for (const std::string& missing : missingFunctions(library.value())) faults.add(missing + " is missing");
  if (faults.any()) return "";
  const std::string before = tableBytes(library.value());
  {
    Alone alone(context, faults);
    if (!alone.up()) return "";
    NetPair pair(alone.host(), alone.context(), 0, context.patience, faults);
  }
  if (tableBytes(library.value()) != before)
    faults.add("a table changed after it was loaded: NCCL reads it in place");
  return "";
}

int mostFused(const NetCalls& calls) {
  return calls.abi >= 12 ? nccl::kNetMaxDevsPerNic : nccl::kNetMaxDevsPerNicV11;
}

void checkProperties(const nccl::NetPropertiesV12& p, int device, const NetCalls& calls, Faults& faults) {
  const auto need = [&](bool good, const char* what) {
    if (!good) faults.add(fmt::format("device {}: {}", device, what));
  };
  need(p.name != nullptr && p.name[0] != 0, "no name");
  need(p.speed > 0, "speed is not above 0");
  need(std::isfinite(p.latency) && p.latency >= 0, "latency is no time");
  need(p.maxComms > 0, "maxComms is not above 0");
  need(p.maxRecvs >= 1, "maxRecvs is below 1");
  need(p.ptrSupport & nccl::kPtrHost, "host memory is not supported");
  need(!(p.ptrSupport & nccl::kPtrDmaBuf) || calls.regMrDmaBuf, "DMA-BUF is announced without regMrDmaBuf");
  need(p.netDeviceType == nccl::NetDeviceType::kHost, "not driven by the host");
  need(p.vProps.ndevs >= 1 && p.vProps.ndevs <= mostFused(calls),
       "vProps.ndevs is not set: NCCL copies as many entries");
  const auto bytesGood = [](size_t bytes) { return bytes > 0 && bytes <= size_t{nccl::kNetMaxBytes}; };
  need(bytesGood(p.maxP2pBytes) && bytesGood(p.maxCollBytes), "maxP2pBytes or maxCollBytes is not in (0, 1 TiB]");
  std::error_code ignored;
  need(!p.pciPath || std::filesystem::exists(p.pciPath, ignored), "pciPath does not exist: the NIC is misplaced");
}

std::string properties(const CaseContext& context, Faults& faults) {
  Alone alone(context, faults);
  if (!alone.up()) return "";
  for (int device = 0; device < alone.host().devices(); device++) {
    nccl::NetPropertiesV12 p{}, again{};
    const bool got = alone.calls().getProperties(device, &p) == nccl::Result::kSuccess &&
                     alone.calls().getProperties(device, &again) == nccl::Result::kSuccess;
    if (!got)
      faults.add(fmt::format("device {}: getProperties failed", device));
    else
      checkProperties(p, device, alone.calls(), faults);
    if (got && (p.guid != again.guid || p.speed != again.speed)) faults.add("properties differ from call to call");
  }
  return "";
}

// The speed of a virtual NIC is the sum of its members'.
void checkVirtual(const NetHost& host, int device, const nccl::NetVDevicePropsV12& asked, Faults& faults) {
  const nccl::NetPropertiesV12 p = host.properties(device);
  checkProperties(p, device, host.calls(), faults);
  int speed = 0;
  for (int i = 0; i < asked.ndevs; i++) speed += host.properties(asked.devs[i]).speed;
  if (p.vProps.ndevs != asked.ndevs) faults.add("a virtual NIC does not name all of its members");
  if (p.speed != speed)
    faults.add(fmt::format("a virtual NIC says {} Mbit/s, its members {} together", p.speed, speed));
}

// A refusal is allowed: NCCL then goes on without the fusion (src/graph/topo.cc, 2.30.7).
std::string virtualDevices(const CaseContext& context, Faults& faults) {
  Alone alone(context, faults);
  if (!alone.up()) return "";
  if (!alone.calls().makeVDevice) return "the plugin fuses no devices (makeVDevice)";
  if (alone.host().devices() < 2) return "one device: nothing to fuse";
  nccl::NetVDevicePropsV12 two = {2, {0, 1}};
  int device = -1;
  if (alone.calls().makeVDevice(&device, &two) != nccl::Result::kSuccess) return "the plugin refused to fuse 0 and 1";
  if (device < alone.host().devices()) return faults.add("a virtual NIC has the number of a real one"), "";
  checkVirtual(alone.host(), device, two, faults);
  NetPair pair(alone.host(), alone.context(), device, context.patience, faults);
  if (!pair.up()) return "";
  PairTraffic traffic(pair, Place::kHost, 3 << 20);
  for (const size_t size : {1u, 100'000u, 3u << 20}) traffic.exchange(size, 5, context.patience);
  traffic.deregister();
  nccl::NetVDevicePropsV12 wrong = {2, {0, 1 << 20}};
  if (alone.calls().makeVDevice(&device, &wrong) == nccl::Result::kSuccess)
    faults.add("makeVDevice fused a device that does not exist");
  return "";
}

constexpr NetCase kCases[] = {
    {"comes-up", "init succeeds and there is a device; without one, a warning says why", comesUp},
    {"tables", "every function that NCCL calls unguarded is there, and the tables stay as they are", tables},
    {"properties", "devices and their properties, each member set and in range", properties},
    {"virtual-devices", "two devices fuse into one that connects and moves data", virtualDevices},
};

}  // namespace

std::span<const NetCase> setUpCases() { return kCases; }

}  // namespace polyrail::contract
