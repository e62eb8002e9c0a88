// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/net_host.h"

#include <fmt/format.h>

#include <algorithm>

namespace polyrail::contract {

Result<std::unique_ptr<NetHost>> NetHost::load(const std::string& plugin, nccl::LogFunction log, int newestAbi) {
  Result<Library> library = Library::open(plugin);
  if (!library.ok()) return library.status();
  std::optional<NetCalls> calls = bindNet(library.value(), newestAbi);
  if (!calls) return Status::error(plugin + " exports no net plugin that NCCL knows");
  return std::unique_ptr<NetHost>(new NetHost(std::move(library).value(), *std::move(calls), log));
}

nccl::NetPropertiesV12 NetHost::properties(int device) const {
  nccl::NetPropertiesV12 p{};
  if (calls_.getProperties(device, &p) != nccl::Result::kSuccess) p.maxRecvs = 1;
  p.maxRecvs = std::clamp(p.maxRecvs, 1, 8);  // NCCL_NET_MAX_RECVS of its proxies
  return p;
}

Result<void*> NetHost::join(uint64_t commId) {
  std::lock_guard lock(mutex_);
  void* context = nullptr;
  if (calls_.abi >= 11 || communicators_ == 0) {
    const nccl::Result result = calls_.init(&context, commId, &config, log_, nullptr);
    if (result != nccl::Result::kSuccess)
      return Status::error(fmt::format("init returned {}", static_cast<int>(result)));
  }
  communicators_++;
  if (devices_ > 0) return context;
  const nccl::Result result = calls_.devices(&devices_);
  if (result == nccl::Result::kSuccess && devices_ > 0) return context;
  communicators_--;
  if (calls_.finalize) calls_.finalize(context);
  return Status::error(fmt::format("devices returned {} with {} devices", static_cast<int>(result), devices_));
}

nccl::Result NetHost::leave(void* context) {
  std::lock_guard lock(mutex_);
  communicators_--;
  return calls_.finalize ? calls_.finalize(context) : nccl::Result::kSuccess;
}

}  // namespace polyrail::contract
