// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/net_alone.h"

namespace polyrail::contract {

Alone::Alone(const CaseContext& context, Faults& faults) : faults_(faults) {
  auto loaded = NetHost::load(context.plugin, context.abi, context.fused);
  if (!loaded.ok()) {
    faults.add(loaded.message());
    return;
  }
  host_ = std::move(loaded).value();
  const Result<void*> joined = host_->join(0x616c6f6e65);
  up_ = joined.ok();
  if (up_)
    context_ = joined.value();
  else
    faults.add(joined.message());
  if (!up_ && host_->log().count(nccl::LogLevel::kWarn) == 0)
    faults.add("no device, and no warning: NCCL falls back to its own transport in silence");
}

Alone::~Alone() {
  if (!up_) return;
  if (host_->leave(context_) != nccl::Result::kSuccess) faults_.add("finalize failed");
}

}  // namespace polyrail::contract
