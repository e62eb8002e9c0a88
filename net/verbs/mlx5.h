// SPDX-License-Identifier: Apache-2.0
// What ConnectX cards can do beyond verbs, by the direct verbs of libmlx5: the UDP source port and the slave of a
// bond that a queue pair leaves by, and the data-direct function of a card (its second PCI path to a GPU). All of it
// is optional: without the library, or on another vendor's card, every pointer is null or says no. Opened and closed
// as load.h says.
#pragma once

#include <infiniband/verbs.h>

#include <string>

#include "common/sysroot.h"

namespace polyrail::net {

// Signatures are those of mlx5dv.h (rdma-core); each is null in a library that is too old for it.
struct Mlx5 {
  bool (*isSupported)(ibv_device* device) = nullptr;
  int (*modifyQpLagPort)(ibv_qp* qp, uint8_t port) = nullptr;       // 1-based slave of a bond; the queue pair in RTS
  int (*modifyQpUdpSport)(ibv_qp* qp, uint16_t udpPort) = nullptr;  // RoCE v2 only; the queue pair in RTS
  // Below /sys, without it: "/devices/pci.../". ENODEV: the card has no data-direct function.
  int (*getDataDirectSysfsPath)(ibv_context* context, char* path, size_t size) = nullptr;
  // access: IBV_ACCESS_*; mlx5Access: 1 is data-direct.
  ibv_mr* (*regDmabufMr)(ibv_pd* pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access,
                         int mlx5Access) = nullptr;
};

inline constexpr int kMlx5AccessDataDirect = 1;  // MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT

struct Mlx5Library {
  Mlx5 mlx5{};
  void* handle = nullptr;
  std::string absent;  // why it is not there; empty when it is
};

// Opens `name`, or libmlx5.so.1. Never an error: what is missing is said in `absent`.
Mlx5Library loadMlx5(const std::string& name = {});
void closeMlx5(Mlx5Library& library);

// Whether a NIC of the machine has the driver mlx5_core: elsewhere the library is not worth opening.
bool hasMlx5Nics(const SysRoot& root);

// True when the library is there and the device is its.
inline bool isMlx5(const Mlx5& mlx5, ibv_device* device) { return mlx5.isSupported && mlx5.isSupported(device); }

}  // namespace polyrail::net
