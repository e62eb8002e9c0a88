// SPDX-License-Identifier: Apache-2.0
// The asynchronous events of one opened NIC: said in the log, and remembered where a new connection must look again.
// Turned by the reactor; stale() and lost() may be asked from any thread.
#pragma once

#include <atomic>
#include <memory>

#include "common/log.h"
#include "net/device/open_device.h"
#include "net/plugin/ends.h"
#include "net/reactor/reactor.h"

namespace polyrail::net {

class RailEvents final : public Watcher {
 public:
  // `ends`: whose comms end by a fatal event; null: none (NCCL_IB_RETURN_ASYNC_EVENTS=0), it is only said.
  // `reactor` is woken so that comms hear of it at once; null: nobody is.
  RailEvents(std::shared_ptr<OpenDevice> device, const Log& log, Ends* ends = nullptr, Reactor* reactor = nullptr)
      : device_(std::move(device)), log_(log), ends_(ends), reactor_(reactor) {}

  void ready() override;

  const OpenDevice& device() const { return *device_; }
  // Addresses may have changed since the last call.
  bool takeStale() { return stale_.exchange(false, std::memory_order_acq_rel); }
  bool lost() const { return lost_.load(std::memory_order_acquire); }

 private:
  void on(const ibv_async_event& event);
  void lose();
  void onFatal(const ibv_async_event& event);

  const std::shared_ptr<OpenDevice> device_;
  const Log log_;
  Ends* const ends_;
  Reactor* const reactor_;
  uint32_t heard_ = 0;
  std::atomic<bool> stale_{false}, lost_{false};
};

}  // namespace polyrail::net
