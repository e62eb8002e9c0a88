// SPDX-License-Identifier: Apache-2.0
#include "net/verbs/mlx5.h"

#include <dlfcn.h>

#include "net/verbs/symbols.h"

namespace polyrail::net {
namespace {

constexpr char kDefaultLibrary[] = "libmlx5.so.1";

// Versions as rdma-core's libmlx5.map gives them.
constexpr Symbol kSymbols[] = {
    {"mlx5dv_is_supported", "MLX5_1.8", offsetof(Mlx5, isSupported), true},
    {"mlx5dv_modify_qp_lag_port", "MLX5_1.14", offsetof(Mlx5, modifyQpLagPort), false},
    {"mlx5dv_modify_qp_udp_sport", "MLX5_1.17", offsetof(Mlx5, modifyQpUdpSport), false},
    {"mlx5dv_get_data_direct_sysfs_path", "MLX5_1.25", offsetof(Mlx5, getDataDirectSysfsPath), false},
    {"mlx5dv_reg_dmabuf_mr", "MLX5_1.25", offsetof(Mlx5, regDmabufMr), false},
};

}  // namespace

Mlx5Library loadMlx5(const std::string& name) {
  Mlx5Library library;
  const std::string file = name.empty() ? kDefaultLibrary : name;
  library.handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library.handle) {
    library.absent = loaderReason();
    return library;
  }
  const char* missing = resolve(library.handle, kSymbols, &library.mlx5);
  if (!missing) return library;
  closeMlx5(library);
  library.absent = file + " has no " + missing;
  return library;
}

bool hasMlx5Nics(const SysRoot& root) {
  const std::string base = "/sys/class/infiniband";
  for (const std::string& name : root.list(base)) {
    const std::string driver = root.realPath(base + "/" + name + "/device/driver").value_or("");
    if (driver.substr(driver.rfind('/') + 1) == "mlx5_core") return true;
  }
  return false;
}

void closeMlx5(Mlx5Library& library) {
  if (library.handle) dlclose(library.handle);
  library.handle = nullptr;
  library.mlx5 = {};
}

}  // namespace polyrail::net
