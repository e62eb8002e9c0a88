// SPDX-License-Identifier: Apache-2.0
// The direct verbs of libmlx5 on emulated NICs, as the table of pointers that the net plugin fills from the library:
// which cards have a data-direct function and slaves to choose is said by the test, and what was asked is kept. State
// is the process'; one test at a time.
#pragma once

#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "net/verbs/mlx5.h"

namespace polyrail::emu {

struct Mlx5Double {
  std::map<std::string, std::string> dataDirect;  // path of the function below /sys, by card; others have none
  std::set<std::string> foreign;                  // cards of another vendor
  int pathError = 0, registerError = 0, lagError = 0;
  int registered = 0;               // with the data-direct flag
  std::map<uint32_t, int> lagPort;  // by queue pair number
};
inline Mlx5Double mlx5Double;

namespace mlx5_double {

inline const char* nameOf(ibv_device* device) { return device->name; }

inline bool isSupported(ibv_device* device) { return mlx5Double.foreign.count(nameOf(device)) == 0; }

inline int modifyQpLagPort(ibv_qp* qp, uint8_t port) {
  if (mlx5Double.lagError) return mlx5Double.lagError;
  if (qp->state != IBV_QPS_RTS || port == 0) return EINVAL;
  mlx5Double.lagPort[qp->qp_num] = port;
  return 0;
}

inline int getDataDirectSysfsPath(ibv_context* context, char* path, size_t size) {
  if (mlx5Double.pathError) return mlx5Double.pathError;
  const auto it = mlx5Double.dataDirect.find(nameOf(context->device));
  if (it == mlx5Double.dataDirect.end()) return ENODEV;
  if (it->second.size() >= size) return ENOSPC;
  std::strcpy(path, it->second.c_str());
  return 0;
}

inline ibv_mr* regDmabufMr(ibv_pd* pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access,
                           int mlx5Access) {
  if (mlx5Double.registerError) return errno = mlx5Double.registerError, nullptr;
  ibv_mr* mr = ibv_reg_dmabuf_mr(pd, offset, length, iova, fd, access);
  mlx5Double.registered += mr && (mlx5Access & net::kMlx5AccessDataDirect);
  return mr;
}

}  // namespace mlx5_double

// With everything it knows forgotten.
inline net::Mlx5 emulatedMlx5() {
  mlx5Double = {};
  net::Mlx5 m{};
  m.isSupported = mlx5_double::isSupported;
  m.modifyQpLagPort = mlx5_double::modifyQpLagPort;
  m.getDataDirectSysfsPath = mlx5_double::getDataDirectSysfsPath;
  m.regDmabufMr = mlx5_double::regDmabufMr;
  return m;
}

}  // namespace polyrail::emu
