// SPDX-License-Identifier: Apache-2.0
// Two comms between the ends of `polyrail perf`, one each way, made as NCCL's service thread makes them: handles over
// the control connection, then connect and accept in turn until both are there. Closed with the object. One thread.
#pragma once

#include <memory>

#include "cli/perf/control.h"
#include "cli/perf/plugin.h"

namespace polyrail::cli {

class PerfLink {
 public:
  // Both ends call this at the same time. `patience`: seconds.
  static Result<std::unique_ptr<PerfLink>> open(const PerfPlugin& plugin, const PerfDevice& device, Control& control,
                                                double patience);
  ~PerfLink();
  PerfLink(const PerfLink&) = delete;
  PerfLink& operator=(const PerfLink&) = delete;

  void* send() const { return send_; }
  void* recv() const { return recv_; }
  const PerfDevice& device() const { return device_; }
  const std::string& peerDevice() const { return peerDevice_; }

 private:
  PerfLink(const PerfPlugin& plugin, PerfDevice device) : plugin_(plugin), device_(std::move(device)) {}
  Status exchange(Control& control, double patience);
  Status join(Control& control, double patience);
  Status step();

  const PerfPlugin& plugin_;
  const PerfDevice device_;
  std::string peerDevice_;
  alignas(16) char handle_[nccl::kNetHandleBytes] = {};  // the peer's: the same memory for every call of connect
  void* listen_ = nullptr;
  void* send_ = nullptr;
  void* recv_ = nullptr;
};

}  // namespace polyrail::cli
