// SPDX-License-Identifier: Apache-2.0
// One buffer registered on every rail of a comm: what regMr and regMrDmaBuf make and deregMr ends. Whole or not at
// all: when one rail refuses, the others are given back. Owns its share of the registrations and a copy of the
// dma-buf's descriptor, so that a rail that joins later can register too (comm_memory.h). One owner; no two calls on
// one object at a time, and calls for different buffers from any threads, also while isend and irecv run.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "net/data/memory_keys.h"
#include "net/device/open_device.h"
#include "net/memory/memory_range.h"
#include "net/verbs/mlx5.h"

namespace polyrail::net {

// A rail of the comm, as registration needs it.
struct MemoryRail {
  std::shared_ptr<OpenDevice> device;
  RegistrationWays ways;
};
// From what was found out of the port: GPUDirect's ways, relaxed ordering. `mlx5`: for the data-direct interface.
RegistrationWays registrationWays(const Port& port, const Mlx5& mlx5 = {});

class CommMemory;

class RailMemory {
 public:
  // At most kMaxRails rails; two rails on one device share the registration. The error names device, size, remedy.
  static Result<std::unique_ptr<RailMemory>> create(std::span<const MemoryRail> rails, const MemoryRange& range);
  ~RailMemory() { (void)release(); }
  RailMemory(const RailMemory&) = delete;
  RailMemory& operator=(const RailMemory&) = delete;

  // What the data path needs; valid as long as this is.
  const MemoryKeys& keys() const { return keys_; }
  // Gives everything back; the first error, after all was tried. The destructor does the same without a word.
  Status release();

 private:
  friend class CommMemory;
  RailMemory() = default;
  Status acquire(size_t index, const MemoryRail& rail);
  Status release(size_t index);
  // From now on the keys of a rail that was acquired may be used.
  void show(size_t index);

  MemoryKeys keys_;
  MemoryRange range_;                  // its descriptor is our copy
  std::shared_ptr<CommMemory> group_;  // null: nobody extends it
  size_t place_ = 0;                   // there
  struct Part {
    std::shared_ptr<OpenDevice> device;
    const Registration* registration = nullptr;
  };
  std::array<Part, kMaxRails> parts_{};
};

}  // namespace polyrail::net
