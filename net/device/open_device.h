// SPDX-License-Identifier: Apache-2.0
// One opened NIC: its context, one protection domain, one registration cache and the descriptor of its asynchronous
// events. Everything in the process that uses the NIC shares it (ports, comms, two copies of NCCL), by shared_ptr;
// the last to let go closes it. Openers and users may be any threads; the verbs objects follow libibverbs' own rules.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "common/status.h"
#include "net/device/ledger.h"
#include "net/device/port.h"
#include "net/memory/mr_cache.h"
#include "net/path/local_rail.h"
#include "net/verbs/mlx5.h"
#include "net/verbs/verbs.h"

namespace polyrail::net {

class OpenDevice : public std::enable_shared_from_this<OpenDevice> {
 public:
  // The device that is open already under this name and these verbs, or a new one. Some control verbs: not for
  // connect and accept, where it is open by then. The error names the device and the cause.
  static Result<std::shared_ptr<OpenDevice>> open(const Verbs& verbs, const std::string& name);
  ~OpenDevice();
  OpenDevice(const OpenDevice&) = delete;
  OpenDevice& operator=(const OpenDevice&) = delete;

  const Verbs& verbs() const { return verbs_; }
  const std::string& name() const { return name_; }
  ibv_context* context() const { return context_; }
  ibv_pd* pd() const { return pd_; }
  MrCache& memory() { return *memory_; }
  // Whoever makes a queue pair takes it from here first.
  Ledger& queuePairs() const { return *queuePairs_; }
  // What a port's events have told, 1 to the number of its ports; any other number is no port's.
  RailHealth& health(uint8_t port) const { return health_[port <= ports_ ? port : 0]; }
  // What the process does with it.
  RailUse& use(uint8_t port) const { return uses_[port <= ports_ ? port : 0]; }
  unsigned ports() const { return ports_; }
  Slaves& slaves() const { return slaves_; }
  int asyncFd() const { return context_->async_fd; }  // O_NONBLOCK; one reader

 private:
  OpenDevice(const Verbs& verbs, std::string name) : verbs_(verbs), name_(std::move(name)) {}
  Status start(ibv_device* device);
  void unlink();

  const Verbs verbs_;
  const std::string name_;
  ibv_context* context_ = nullptr;
  ibv_pd* pd_ = nullptr;
  std::unique_ptr<MrCache> memory_;
  std::unique_ptr<Ledger> queuePairs_;
  unsigned ports_ = 0;
  std::unique_ptr<RailHealth[]> health_;
  std::unique_ptr<RailUse[]> uses_;
  mutable Slaves slaves_;
  int pid_ = 0;  // who opened it: a forked child must leave the parent's NIC alone
  OpenDevice* next_ = nullptr;
};

// The port as the data path knows it; GID and LID as in `port`, which the caller has refreshed.
// `mlx5`: what places queue pairs on the cables of a bond.
LocalRail localRail(const OpenDevice& device, const Port& port, const Mlx5& mlx5 = {});

}  // namespace polyrail::net
