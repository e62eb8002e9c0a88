// SPDX-License-Identifier: Apache-2.0
// One port of a NIC that may serve as a rail, with everything that was found out about it, and what became of those
// that may not. Filled by enumerate(); a plain value without owners, so that the command and the tests can look at
// it without a NIC.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "net/device/gid.h"
#include "net/device/pkey.h"
#include "net/wire/message.h"

namespace polyrail::net {

struct DeviceLimits {  // of the device, from ibv_query_device; 0: unknown
  int maxQp = 0, maxQpWr = 0, maxCq = 0, maxCqe = 0, maxMr = 0, maxSge = 0, maxReadsPerQp = 0;
};

// Whether the NIC reaches GPU memory by itself, and by which way. Both may hold: DMA-BUF is tried first.
struct GpuDirect {
  bool dmaBuf = false, peermem = false;
  std::string why;  // one clause: "DMA-BUF", or what is missing
};

struct Bond {  // an Ethernet bond below the port: one queue pair uses one of its cables
  std::string name, mode;
  std::vector<std::string> members;
};

struct Port {
  std::string device;  // verbs' name
  uint8_t number = 1;  // verbs' port number
  uint64_t guid = 0;   // of the card: equal for its ports and functions. Host order
  LinkLayer link = LinkLayer::kEthernet;
  uint16_t lid = 0;           // InfiniBand
  uint64_t subnetPrefix = 0;  // InfiniBand: of the fabric; Ethernet: leading bits of the GID. Equal: same subnet
  GidChoice gid;              // as of enumeration; events make it stale (refresh.h)
  PkeyChoice pkey;            // as of enumeration, too
  int rail = -1, plane = -1;  // from NCCL_IB_HCA; -1: not stated
  uint32_t speedMbps = 0;
  float latencyUs = 0;  // for NCCL's model; 0: NCCL's own guess
  uint8_t mtu = 0;      // active, as ibv_mtu; 0: unknown
  uint32_t maxMessage = 1u << 31;
  DeviceLimits limits;
  std::string pciPath;     // real path below /sys, functions merged as asked; empty: none
  std::string pciAddress;  // "0000:17:00.1", unmerged, of the function that has the port
  int realPort = 0;        // how many earlier ports share the card: NCCL's `port` is number + realPort
  int numaNode = -1;
  GpuDirect gpuDirect;
  bool dataDirect = false;       // reached by the data-direct interface of mlx5
  bool relaxedOrdering = false;  // data may be registered with it
  bool adaptiveRouting = false;  // packets may arrive out of order
  std::string netdev;            // Ethernet interface; empty when unknown
  std::optional<Bond> bond;
  std::vector<std::string> notes;  // why it is used as it is, and warnings; one clause each

  // The data-direct interface has the name that NCCL gives it.
  std::string deviceName() const { return device + (dataDirect ? "_dma" : ""); }
  std::string name() const { return deviceName() + ":" + std::to_string(number); }
};

struct RefusedPort {
  std::string name;    // "mlx5_0:1", or "mlx5_0" for a whole device
  std::string reason;  // one clause
  std::string remedy;  // what the user may do; empty when nothing is wrong
};

struct Enumeration {
  std::vector<Port> ports;  // in the order NCCL sees them
  std::vector<RefusedPort> refused;
  std::vector<std::string> warnings;  // of the node as a whole: a device that NCCL_IB_HCA names and that is not there
};

// What the handshake says of the port.
RailInfo railInfo(const Port& port);

}  // namespace polyrail::net
