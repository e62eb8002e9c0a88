// SPDX-License-Identifier: Apache-2.0
// A net plugin loaded as NCCL loads it, for one communicator, through the newest table there is (ncclNetPlugin_v12):
// opened, initialised, and finalised and closed with the object. What it warns of goes to standard error, all it says
// with `log`. One at a time in a process; one thread.
#pragma once

#include <string>
#include <vector>

#include "common/nccl/net_abi.h"
#include "common/status.h"

namespace polyrail::cli {

inline constexpr char kInstalledPlugin[] = "libnccl-net-polyrail.so";

struct PerfDevice {
  int index = 0;  // as listen and connect take it
  std::string name;
  int speedMbps = 0;
  int ptrSupport = 0;  // nccl::kPtr*
  int rails = 1;
};

class PerfPlugin {
 public:
  // `file` as dlopen takes it.
  static Result<PerfPlugin> load(const std::string& file, bool log);
  PerfPlugin(PerfPlugin&& other) noexcept;
  PerfPlugin& operator=(PerfPlugin&&) = delete;
  ~PerfPlugin();

  const nccl::NetV12& calls() const { return *table_; }
  void* context() const { return context_; }
  const std::vector<PerfDevice>& devices() const { return devices_; }
  // "all", "2" (the first two), "mlx5_0+mlx5_1", "#1" (number 1 here, whatever its name): one device, fused by
  // makeVDevice where it is several. The error says which there are.
  Result<PerfDevice> choose(const std::string& rails) const;

 private:
  PerfPlugin(void* library, const nccl::NetV12* table) : library_(library), table_(table) {}
  Status start(bool log);
  Result<PerfDevice> describe(int index) const;
  Result<std::vector<int>> members(const std::string& rails) const;
  Result<PerfDevice> fuse(const std::vector<int>& members) const;
  std::string names() const;
  void* library_;
  const nccl::NetV12* table_;
  void* context_ = nullptr;
  bool initialised_ = false;
  std::vector<PerfDevice> devices_;
};

// The result code's name with what it means for a person: "6 (ncclRemoteError)".
std::string resultText(nccl::Result result);

}  // namespace polyrail::cli
