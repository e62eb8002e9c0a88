// SPDX-License-Identifier: Apache-2.0
// The list of NICs that verbs shows, given back at the end of the scope: opened contexts outlive it. One thread.
#pragma once

#include <cstring>
#include <span>
#include <string>

#include "net/verbs/verbs.h"

namespace polyrail::net {

class DeviceList {
 public:
  explicit DeviceList(const Verbs& verbs) : verbs_(verbs) {
    errno = 0;
    list_ = verbs.getDeviceList(&count_);
    error_ = list_ ? 0 : errno ? errno : EIO;
  }
  ~DeviceList() {
    if (list_) verbs_.freeDeviceList(list_);
  }
  DeviceList(const DeviceList&) = delete;
  DeviceList& operator=(const DeviceList&) = delete;

  int error() const { return error_; }  // errno; ENOSYS: the kernel's verbs are not loaded
  std::span<ibv_device* const> devices() const { return {list_, list_ ? static_cast<size_t>(count_) : 0}; }
  ibv_device* find(const std::string& name) const {
    for (ibv_device* d : devices())
      if (name == verbs_.getDeviceName(d)) return d;
    return nullptr;
  }

 private:
  const Verbs& verbs_;
  ibv_device** list_ = nullptr;
  int count_ = 0;
  int error_ = 0;
};

}  // namespace polyrail::net
