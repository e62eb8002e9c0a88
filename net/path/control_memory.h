// SPDX-License-Identifier: Apache-2.0
// Memory that a peer or our own NIC reads and writes for control: grant rings, size records, mailboxes, staging.
// Whole zeroed pages of our own, so that neither a fork's DONTFORK nor a registration touches anybody else's data.
// One owner; not thread-safe. The registration must go before the memory, which the destructors see to.
#pragma once

#include <cstddef>

#include "common/status.h"
#include "net/verbs/verbs.h"

namespace polyrail::net {

class ControlMemory {
 public:
  ControlMemory() = default;
  ~ControlMemory();
  ControlMemory(const ControlMemory&) = delete;
  ControlMemory& operator=(const ControlMemory&) = delete;

  // REQUIRES: empty. Rounded up to pages.
  Status allocate(size_t bytes);
  void* data() const { return data_; }
  size_t size() const { return size_; }
  template <typename T>
  T* as(size_t offset = 0) const {
    return reinterpret_cast<T*>(static_cast<char*>(data_) + offset);
  }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
};

// A registration of control memory with one PD.
class ControlRegion {
 public:
  ControlRegion() = default;
  ~ControlRegion() { reset(); }
  ControlRegion(ControlRegion&& other) noexcept { *this = std::move(other); }
  ControlRegion& operator=(ControlRegion&& other) noexcept;

  // One control verb. Without relaxed ordering: tags must not be overtaken by what they cover.
  Status registerWith(const Verbs& verbs, ibv_pd* pd, const ControlMemory& memory, const std::string& rail);
  void reset();
  explicit operator bool() const { return mr_ != nullptr; }
  uint32_t lkey() const { return mr_->lkey; }
  uint32_t rkey() const { return mr_->rkey; }

 private:
  const Verbs* verbs_ = nullptr;
  ibv_mr* mr_ = nullptr;
};

}  // namespace polyrail::net
