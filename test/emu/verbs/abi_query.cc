// SPDX-License-Identifier: Apache-2.0
// What a device and its ports say of themselves.
#include <net/if.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "test/emu/verbs/face.h"

#undef ibv_query_port

using namespace polyrail::emu;

namespace polyrail::emu {
namespace {

struct Speed {
  int64_t rate;
  uint8_t speed, width;  // IB spec vol. 1, 14.2.5.6: SDR 1 .. NDR 128; width 1x 1, 4x 2
};

constexpr Speed kSpeeds[] = {{10'000'000'000, 4, 1},   {25'000'000'000, 32, 1},  {40'000'000'000, 4, 2},
                             {50'000'000'000, 64, 1},  {56'000'000'000, 16, 2},  {100'000'000'000, 32, 2},
                             {200'000'000'000, 64, 2}, {400'000'000'000, 128, 2}};

const Speed& speedOf(const PortSpec& spec) {
  const int64_t announced = spec.speed ? spec.speed : spec.rate;
  const Speed* best = &kSpeeds[0];
  for (const Speed& s : kSpeeds)
    if (s.rate <= announced || announced == 0) best = &s;
  return *best;
}

ibv_mtu mtuOf(int bytes) {
  int code = IBV_MTU_256;
  while (128 << code < bytes) code++;
  return static_cast<ibv_mtu>(code);
}

void describe(const Port& port, ibv_port_attr* out) {
  const PortSpec& spec = *port.spec;
  std::memset(out, 0, sizeof *out);
  out->state = port.active() ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
  out->max_mtu = IBV_MTU_4096;
  out->active_mtu = mtuOf(spec.mtu);
  out->gid_tbl_len = port.device->world->profile().gidTable;
  out->port_cap_flags = IBV_PORT_CM_SUP | IBV_PORT_IP_BASED_GIDS;
  out->max_msg_sz = port.device->world->profile().maxMessage;
  out->pkey_tbl_len = static_cast<uint16_t>(spec.pkeys.size());
  out->lid = spec.lid;
  out->sm_lid = spec.ethernet ? 0 : 1;
  out->max_vl_num = 1;
  out->active_width = speedOf(spec).width;
  out->active_speed = speedOf(spec).speed;
  out->phys_state = port.active() ? 5 : 3;  // LinkUp, Disabled
  out->link_layer = spec.ethernet ? IBV_LINK_LAYER_ETHERNET : IBV_LINK_LAYER_INFINIBAND;
}

void describe(const Device& device, ibv_device_attr* out) {
  const Limits& l = device.spec->limits;
  *out = ibv_device_attr{};
  std::snprintf(out->fw_ver, sizeof out->fw_ver, "%s", device.spec->firmware.c_str());
  out->node_guid = out->sys_image_guid = htobe64(device.spec->guid);
  out->max_mr_size = UINT64_MAX;
  out->page_size_cap = 0xfffff000;
  out->vendor_id = device.spec->vendorId;
  out->vendor_part_id = device.spec->partId;
  out->max_qp = static_cast<int>(l.maxQp);
  out->max_qp_wr = static_cast<int>(l.maxQpWr);
  out->device_cap_flags = IBV_DEVICE_PORT_ACTIVE_EVENT | IBV_DEVICE_SYS_IMAGE_GUID | IBV_DEVICE_RC_RNR_NAK_GEN;
  out->max_sge = out->max_sge_rd = out->max_srq_sge = static_cast<int>(l.maxSge);
  out->max_cq = static_cast<int>(l.maxCq);
  out->max_cqe = static_cast<int>(l.maxCqe);
  out->max_mr = static_cast<int>(l.maxMr);
  out->max_pd = static_cast<int>(l.maxPd);
  out->max_qp_rd_atom = out->max_qp_init_rd_atom = static_cast<int>(l.maxRdAtomic);
  out->max_res_rd_atom = static_cast<int>(l.maxRdAtomic * std::min<int64_t>(l.maxQp, 1 << 20));
  out->atomic_cap = IBV_ATOMIC_HCA;
  out->max_ah = static_cast<int>(l.maxAh);
  out->max_srq = static_cast<int>(l.maxSrq);
  out->max_srq_wr = static_cast<int>(l.maxQpWr);
  for (const auto& port : device.ports)
    out->max_pkeys = std::max(out->max_pkeys, static_cast<uint16_t>(port->spec->pkeys.size()));
  out->local_ca_ack_delay = 15;
  out->phys_port_cnt = static_cast<uint8_t>(device.ports.size());
}

}  // namespace

int queryPort(ibv_context* context, uint8_t number, ibv_port_attr* out, size_t size) {
  Entry entry(sessionOf(context), Call::kQueryPort, hostOf(context));
  if (entry.error()) return entry.error();
  const Device& device = *coreOf(context)->device;
  const Port* port = device.port(number);
  if (device.removed || !port) return device.removed ? EIO : EINVAL;
  ibv_port_attr attr;
  describe(*port, &attr);
  std::memset(out, 0, size);
  std::memcpy(out, &attr, std::min(size, sizeof attr));
  return 0;
}

int queryDeviceEx(ibv_context* context, const ibv_query_device_ex_input*, ibv_device_attr_ex* out, size_t size) {
  Entry entry(sessionOf(context), Call::kQueryDevice, hostOf(context));
  if (entry.error()) return entry.error();
  if (coreOf(context)->device->removed) return EIO;
  ibv_device_attr_ex attr{};
  describe(*coreOf(context)->device, &attr.orig_attr);
  attr.phys_port_cnt_ex = attr.orig_attr.phys_port_cnt;
  std::memset(static_cast<void*>(out), 0, size);
  std::memcpy(static_cast<void*>(out), &attr, std::min(size, sizeof attr));
  return 0;
}

}  // namespace polyrail::emu

EMU_EXPORT int ibv_query_device(ibv_context* context, ibv_device_attr* out) {
  Entry entry(sessionOf(context), Call::kQueryDevice, hostOf(context));
  if (entry.error()) return entry.error();
  if (coreOf(context)->device->removed) return EIO;
  describe(*coreOf(context)->device, out);
  return 0;
}

// Programs compiled against old headers hold a shorter struct: everything up to link_layer.
EMU_EXPORT int ibv_query_port(ibv_context* context, uint8_t number, _compat_ibv_port_attr* out) {
  return queryPort(context, number, reinterpret_cast<ibv_port_attr*>(out), offsetof(ibv_port_attr, port_cap_flags2));
}

// In units of 100 Mb/s, so that any speed can be told; not in the headers of rdma-core 44.
EMU_EXPORT int ibv_query_port_speed(ibv_context* context, uint32_t number, uint64_t* out) {
  Entry entry(sessionOf(context), Call::kQueryPort, hostOf(context));
  const Port* port = coreOf(context)->device->port(number);
  if (entry.error() || !port) return entry.error() ? entry.error() : EINVAL;
  if (coreOf(context)->device->removed) return EIO;
  *out = static_cast<uint64_t>(port->spec->speed ? port->spec->speed : port->spec->rate) / 100'000'000;
  return 0;
}

EMU_EXPORT int ibv_query_gid(ibv_context* context, uint8_t number, int index, ibv_gid* out) {
  Entry entry(sessionOf(context), Call::kQueryGid, hostOf(context));
  const Port* port = coreOf(context)->device->port(number);
  const bool known = port && index >= 0 && index < entry.world().profile().gidTable;
  if (entry.error() || !known) {
    errno = entry.error() ? entry.error() : EINVAL;
    return -1;
  }
  const GidEntry* gid = port->gid(index);
  *out = gid ? gid->spec.gid : ibv_gid{};
  return 0;
}

namespace {

ibv_gid_entry describe(const Port& port, size_t index) {
  ibv_gid_entry entry{};
  entry.gid = port.gids[index].spec.gid;
  entry.gid_index = static_cast<uint32_t>(index);
  entry.port_num = port.number;
  entry.gid_type = port.gids[index].spec.type;
  // The fabric's interfaces are seldom this machine's: 0 says that the entry has none.
  entry.ndev_ifindex = port.spec->ethernet ? if_nametoindex(port.spec->ndev.c_str()) : 0;
  return entry;
}

}  // namespace

EMU_EXPORT int _ibv_query_gid_ex(ibv_context* context, uint32_t number, uint32_t index, ibv_gid_entry* out,
                                 uint32_t flags, size_t size) {
  Entry entry(sessionOf(context), Call::kQueryGid, hostOf(context));
  if (entry.error()) return entry.error();
  const Port* port = coreOf(context)->device->port(number);
  if (flags || !port || index >= static_cast<uint32_t>(entry.world().profile().gidTable)) return EINVAL;
  if (!port->gid(static_cast<int>(index))) return ENODATA;
  const ibv_gid_entry gid = describe(*port, index);
  std::memcpy(out, &gid, std::min(size, sizeof gid));
  return 0;
}

EMU_EXPORT ssize_t _ibv_query_gid_table(ibv_context* context, ibv_gid_entry* out, size_t room, uint32_t flags,
                                        size_t size) {
  Entry entry(sessionOf(context), Call::kQueryGid, hostOf(context));
  if (entry.error() || flags) return -(entry.error() ? entry.error() : EOPNOTSUPP);
  size_t found = 0;
  for (const Port* port : coreOf(context)->device->ports) {
    for (size_t i = 0; i < port->gids.size(); i++) {
      if (!port->gids[i].valid) continue;
      if (found == room) return -EINVAL;
      const ibv_gid_entry gid = describe(*port, i);
      std::memcpy(reinterpret_cast<char*>(out) + found++ * size, &gid, std::min(size, sizeof gid));
    }
  }
  return static_cast<ssize_t>(found);
}

// rdma-core's own numbering: 0 is IB and RoCE v1, 1 is RoCE v2.
EMU_EXPORT int ibv_query_gid_type(ibv_context* context, uint8_t number, unsigned index, int* type) {
  Entry entry(sessionOf(context), Call::kQueryGid, hostOf(context));
  const Port* port = coreOf(context)->device->port(number);
  const GidEntry* gid = port ? port->gid(static_cast<int>(index)) : nullptr;
  if (!gid) {
    errno = EINVAL;
    return -1;
  }
  *type = gid->spec.type == IBV_GID_TYPE_ROCE_V2 ? 1 : 0;
  return 0;
}

EMU_EXPORT int ibv_query_pkey(ibv_context* context, uint8_t number, int index, __be16* out) {
  const Port* port = coreOf(context)->device->port(number);
  if (!port || index < 0 || static_cast<size_t>(index) >= port->spec->pkeys.size()) {
    errno = EINVAL;
    return -1;
  }
  *out = htobe16(port->spec->pkeys[static_cast<size_t>(index)]);
  return 0;
}

EMU_EXPORT int ibv_get_pkey_index(ibv_context* context, uint8_t number, __be16 pkey) {
  const Port* port = coreOf(context)->device->port(number);
  for (size_t i = 0; port && i < port->spec->pkeys.size(); i++)
    if (((port->spec->pkeys[i] ^ be16toh(pkey)) & 0x7fff) == 0) return static_cast<int>(i);
  errno = EINVAL;
  return -1;
}
