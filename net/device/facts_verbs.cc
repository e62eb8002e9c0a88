// SPDX-License-Identifier: Apache-2.0
#include <endian.h>

#include <charconv>
#include <climits>

#include "net/device/facts.h"
#include "net/device/gid_table.h"

namespace polyrail::net {
namespace {

// Lanes and Mb/s a lane by the lowest bit set of active_width and active_speed (IBTA 1.6, PortInfo).
constexpr uint32_t kLanes[] = {1, 4, 8, 12, 2};
constexpr uint32_t kLaneMbps[] = {2'500, 5'000, 10'000, 10'000, 14'000, 25'000, 50'000, 100'000};

template <size_t N>
uint32_t byLowestBit(const uint32_t (&table)[N], unsigned bits) {
  for (size_t i = 0; i < N; i++)
    if (bits & 1u << i) return table[i];
  return 0;
}

const char* stateName(ibv_port_state state) {
  constexpr const char* kNames[] = {"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER"};
  return state < std::size(kNames) ? kNames[state] : "unknown state";
}

uint32_t speedOf(const Verbs& verbs, ibv_context* context, const ibv_port_attr& a, int number,
                 const DeviceSettings& settings) {
  uint64_t hundreds = 0;
  if (settings.queryPortSpeed && verbs.queryPortSpeed &&
      verbs.queryPortSpeed(context, static_cast<uint32_t>(number), &hundreds) == 0 && hundreds)
    return static_cast<uint32_t>(hundreds * 100);
  return byLowestBit(kLaneMbps, a.active_speed) * byLowestBit(kLanes, a.active_width);
}

std::optional<LinkLayer> linkOf(uint8_t layer) {
  if (layer == IBV_LINK_LAYER_ETHERNET) return LinkLayer::kEthernet;
  if (layer == IBV_LINK_LAYER_INFINIBAND) return LinkLayer::kInfiniBand;
  return std::nullopt;
}

// Over what /sys told: verbs is the authority for all but the words and the GID types.
PortFacts askPort(const Verbs& verbs, ibv_context* context, const std::string& device, uint8_t number,
                  const SysRoot& root, const DeviceSettings& settings) {
  PortFacts port = readPortFiles(root, device, number);
  ibv_port_attr a;
  if (const int error = queryPort(verbs, context, number, &a)) {
    port.problem = std::string("ibv_query_port failed: ") + std::strerror(error);
    return port;
  }
  port.active = a.state == IBV_PORT_ACTIVE;
  if (port.state.empty()) port.state = stateName(a.state);
  port.link = linkOf(a.link_layer);
  port.lid = a.lid;
  // Rates from XDR on do not fit active_speed, which then understates.
  port.speedMbps = std::max(port.speedMbps, speedOf(verbs, context, a, number, settings));
  port.mtu = static_cast<uint8_t>(a.active_mtu);
  if (a.max_msg_sz) port.maxMessage = a.max_msg_sz;
  if (port.link) port.gids = currentGids(verbs, context, root, {device, number, *port.link});
  if (port.pkeys.empty()) port.pkeys = queryPkeyTable(verbs, context, number, a.pkey_tbl_len);
  return port;
}

// The kernel answers a registration of no descriptor with EBADF when it knows DMA-BUF at all (as NCCL's gdr.cc).
void probeDmaBuf(const Verbs& verbs, ibv_context* context, GpuDirect* gpu) {
  ibv_pd* pd = verbs.regDmabufMr ? verbs.allocPd(context) : nullptr;
  if (!pd) return;
  errno = 0;
  ibv_mr* mr = verbs.regDmabufMr(pd, 0, 0, 0, -1, 0);
  gpu->dmaBuf = errno != EOPNOTSUPP && errno != EPROTONOSUPPORT;
  if (mr) (void)verbs.deregMr(mr);
  (void)verbs.deallocPd(pd);
}

// A driver without the direct verb answers as one without DMA-BUF does.
bool registersDataDirect(const Verbs& verbs, ibv_context* context, const Mlx5& mlx5) {
  ibv_pd* pd = mlx5.regDmabufMr ? verbs.allocPd(context) : nullptr;
  if (!pd) return false;
  errno = 0;
  ibv_mr* mr = mlx5.regDmabufMr(pd, 0, 0, 0, -1, 0, 0);
  const bool knows = errno != EOPNOTSUPP && errno != EPROTONOSUPPORT;
  if (mr) (void)verbs.deregMr(mr);
  (void)verbs.deallocPd(pd);
  return knows;
}

void askDataDirect(const Verbs& verbs, ibv_context* context, const SysRoot& root, const Mlx5& mlx5,
                   DeviceFacts* device) {
  char path[PATH_MAX] = "";
  if (!device->gpuDirect.dmaBuf || !mlx5.getDataDirectSysfsPath || !isMlx5(mlx5, context->device) ||
      !registersDataDirect(verbs, context, mlx5))
    return;
  const int error = mlx5.getDataDirectSysfsPath(context, path, sizeof path);
  if (error == ENODEV) return;  // a card without such a function
  if (error) {
    device->dataDirectProblem = std::string("its data-direct interface is not used: ") + std::strerror(error);
    return;
  }
  device->dataDirectPath = std::string("/sys") + path;
  const std::optional<std::string> node = root.read(device->dataDirectPath + "/numa_node");
  if (node) std::from_chars(node->data(), node->data() + node->size(), device->dataDirectNode);
}

void askDevice(const Verbs& verbs, ibv_context* context, const SysRoot& root, const DeviceSettings& settings,
               const Mlx5& mlx5, DeviceFacts* device) {
  ibv_device_attr a{};
  if (const int error = verbs.queryDevice(context, &a)) {
    device->problem = std::string("ibv_query_device failed: ") + std::strerror(error);
    return;
  }
  device->guid = be64toh(a.sys_image_guid ? a.sys_image_guid : a.node_guid);
  device->limits = {a.max_qp, a.max_qp_wr, a.max_cq, a.max_cqe, a.max_mr, a.max_sge, a.max_qp_rd_atom};
  device->relaxedOrdering = verbs.regMrIova2 != nullptr;
  probeDmaBuf(verbs, context, &device->gpuDirect);
  if (settings.dataDirect > 0) askDataDirect(verbs, context, root, mlx5, device);
  for (int n = 1; n <= a.phys_port_cnt; n++)
    device->ports.push_back(askPort(verbs, context, device->name, static_cast<uint8_t>(n), root, settings));
}

}  // namespace

std::vector<DeviceFacts> factsFromVerbs(const Verbs& verbs, std::span<ibv_device* const> devices, const SysRoot& root,
                                        const DeviceSettings& settings, const Mlx5& mlx5) {
  std::vector<DeviceFacts> all;
  for (ibv_device* one : devices) {
    DeviceFacts& device = all.emplace_back();
    device.name = verbs.getDeviceName(one);
    readDeviceFiles(root, &device);
    errno = 0;
    ibv_context* context = verbs.openDevice(one);
    if (context) {
      askDevice(verbs, context, root, settings, mlx5, &device);
      (void)verbs.closeDevice(context);
      continue;
    }
    const int error = errno ? errno : EIO;
    device.problem = std::string("it cannot be opened: ") + std::strerror(error);
    if (error == EACCES || error == EPERM) device.remedy = "give the user access to /dev/infiniband/uverbs*";
    if (error == EMFILE) device.remedy = "raise ulimit -n";
  }
  return all;
}

}  // namespace polyrail::net
