// SPDX-License-Identifier: Apache-2.0
// The limits of this process and of the NICs that end jobs at scale, and one clear line for each that will: locked
// memory, open files, queue pairs. Users meet them as ENOMEM from ibv_create_qp (NVIDIA/nccl issues 1191, 638).
// Plain values; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "net/device/port.h"

namespace polyrail::net {

inline constexpr uint64_t kUnlimited = UINT64_MAX;

struct ProcessLimits {
  uint64_t memlock = kUnlimited;                        // bytes, RLIMIT_MEMLOCK
  uint64_t files = kUnlimited, filesMost = kUnlimited;  // RLIMIT_NOFILE, soft and hard
  bool root = false;                                    // CAP_IPC_LOCK is assumed: memlock does not count
};
ProcessLimits readProcessLimits();

// Raises the soft limit of open files to the hard one, as servers do: a large job opens a socket for each connection.
// What it is then. Changes the process: the caller says so in the log.
uint64_t raiseFileLimit();

// What a job will ask of one process: NCCL makes a send and a receive connection for each peer and channel.
struct Load {
  int peers = 0, channels = 2;
  int pathsPerConnection = 1;
  int connections() const { return peers * channels * 2; }
};

// One sentence for each limit that is too low: for what any job needs when load.peers is 0, else for this load.
// Empty: all is well.
std::vector<std::string> limitProblems(const ProcessLimits& limits, std::span<const Port> ports, const Load& load);

}  // namespace polyrail::net
