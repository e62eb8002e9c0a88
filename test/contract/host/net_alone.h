// SPDX-License-Identifier: Apache-2.0
// One communicator alone with a plugin: a host that has loaded it, joined, and leaves with the object. When it does
// not come up, up() is false and the faults say why; a plugin that finds no device must have warned. One thread.
#pragma once

#include "test/contract/host/net_cases.h"
#include "test/contract/host/net_pair.h"

namespace polyrail::contract {

class Alone {
 public:
  Alone(const CaseContext& context, Faults& faults);
  ~Alone();
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

  bool up() const { return up_; }
  bool loaded() const { return host_ != nullptr; }
  NetHost& host() const { return *host_; }
  const NetCalls& calls() const { return host_->calls(); }
  void* context() const { return context_; }

 private:
  Faults& faults_;
  std::unique_ptr<NetHost> host_;
  void* context_ = nullptr;
  bool up_ = false;
};

}  // namespace polyrail::contract
