// SPDX-License-Identifier: Apache-2.0
// What is to be registered, and in which ways that may be done. Plain values.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <string>
#include <tuple>

#include "common/status.h"

namespace polyrail::net {

enum class MemoryType : uint8_t { kHost, kDevice };

// Ranges of one kind may share a registration. A dma-buf is named by its inode, because NCCL closes its descriptor at
// once and a number may come again for another buffer; `base` is the address at which its byte 0 appears.
struct MemoryKind {
  MemoryType type = MemoryType::kHost;
  uint64_t inode = 0;  // 0: no dma-buf
  uint64_t base = 0;
  bool relaxedOrdering = false;
  bool dataDirect = false;

  auto key() const { return std::tie(type, inode, base, relaxedOrdering, dataDirect); }
  bool operator<(const MemoryKind& other) const { return key() < other.key(); }
  bool operator==(const MemoryKind& other) const { return key() == other.key(); }
};

struct MemoryRange {
  uintptr_t address = 0;
  size_t bytes = 0;  // >= 1
  MemoryType type = MemoryType::kHost;
  int dmaBuf = -1;      // its descriptor, borrowed; -1: none
  uint64_t offset = 0;  // of `address` inside the dma-buf
};

struct RegistrationWays {
  bool relaxedOrdering = false;
  bool dmaBuf = true;   // try the descriptor where there is one
  bool peermem = true;  // device memory by its address: the fallback, or the only way
  // mlx5dv_reg_dmabuf_mr, for the descriptor by the card's data-direct interface first; null: none.
  ibv_mr* (*dataDirect)(ibv_pd* pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access,
                        int mlx5Access) = nullptr;
};

// The remedy for an errno of registration, or of another verb that pins memory: "raise ulimit -l ...".
std::string registrationRemedy(int error);

}  // namespace polyrail::net
