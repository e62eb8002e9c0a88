// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/net_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace polyrail::contract {
namespace {

constexpr int kMostInGroup = 8;  // NCCL_MAX_DEV_WORK_P2P_PER_BATCH, device.h: NCCL groups no more

// NCCL's own when no profiler wants net events: it writes no handle.
nccl::Result profile(void**, nccl::NetEvent, void*, int64_t, void*) { return nccl::Result::kSuccess; }

}  // namespace

Result<std::unique_ptr<NetHost>> NetHost::load(const std::string& plugin, int newestAbi, std::vector<int> fused) {
  Result<Library> library = Library::open(plugin);
  if (!library.ok()) return library.status();
  std::optional<NetCalls> calls = bindNet(library.value(), newestAbi);
  if (!calls) return Status::error(plugin + " exports no net plugin that NCCL knows");
  return std::unique_ptr<NetHost>(new NetHost(std::move(library).value(), *std::move(calls), std::move(fused)));
}

nccl::NetPropertiesV12 NetHost::properties(int device) const {
  nccl::NetPropertiesV12 p{};
  if (calls_.getProperties(device, &p) != nccl::Result::kSuccess) p.maxRecvs = 1;
  p.maxRecvs = std::clamp(p.maxRecvs, 1, kMostInGroup);
  return p;
}

Result<void*> NetHost::join(uint64_t commId) {
  std::lock_guard lock(mutex_);
  void* context = nullptr;
  if (calls_.abi >= 11 || communicators_ == 0) {
    nccl::NetCommConfig onStack = config();
    const nccl::Result result = calls_.init(&context, commId, &onStack, log_->function(), profile);
    std::memset(&onStack, 0xa5, sizeof(onStack));  // NCCL's is gone, too
    if (result != nccl::Result::kSuccess)
      return Status::error(fmt::format("init returned {}", static_cast<int>(result)));
  }
  communicators_++;
  if (devices_ > 0) return context;
  const nccl::Result result = calls_.devices(&devices_);
  const Status status = result == nccl::Result::kSuccess && devices_ > 0 ? fuse() : Status();
  if (status.ok() && result == nccl::Result::kSuccess && devices_ > 0) return context;
  communicators_--;
  if (calls_.finalize) calls_.finalize(context);
  if (!status.ok()) return status;
  return Status::error(fmt::format("devices returned {} with {} devices", static_cast<int>(result), devices_));
}

Status NetHost::fuse() {
  if (fused_.empty() || !calls_.makeVDevice) return Status();
  nccl::NetVDevicePropsV12 members = {static_cast<int>(fused_.size()), {}};
  std::copy(fused_.begin(), fused_.end(), members.devs);
  int made = 0;
  if (calls_.makeVDevice(&made, &members) != nccl::Result::kSuccess) return Status::error("makeVDevice refused");
  calls_.listen = [plain = calls_.listen, made](void* context, int device, void* handle, void** comm) {
    return plain(context, device == 0 ? made : device, handle, comm);
  };
  calls_.connect = [plain = calls_.connect, made](void* context, int device, nccl::NetCommConfig* config,
                                                  void* handle, void** comm, nccl::NetDeviceHandle** place) {
    return plain(context, device == 0 ? made : device, config, handle, comm, place);
  };
  return Status();
}

nccl::Result NetHost::leave(void* context) {
  std::lock_guard lock(mutex_);
  communicators_--;
  return calls_.finalize ? calls_.finalize(context) : nccl::Result::kSuccess;
}

}  // namespace polyrail::contract
