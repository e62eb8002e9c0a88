// SPDX-License-Identifier: Apache-2.0
#include "net/device/limits.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace polyrail::net {
namespace {

// NCCL's buffers of one process: 8 ranks' worth of LL, LL128 and Simple over 32 channels is in the hundreds of MiB; a
// limit below 1 GiB fails sooner or later.
constexpr uint64_t kMemlockEnough = 1 << 30;
// NCCL, CUDA and Python keep a few hundred open before any connection.
constexpr uint64_t kFilesOfOthers = 512;
constexpr uint64_t kFilesEnough = 4096;

uint64_t value(rlim_t limit) { return limit == RLIM_INFINITY ? kUnlimited : static_cast<uint64_t>(limit); }

std::string memlockLine(const ProcessLimits& limits) {
  if (limits.root || limits.memlock >= kMemlockEnough) return "";
  return "locked memory is limited to " + std::to_string(limits.memlock >> 10) +
         " KiB and NICs need more: ulimit -l unlimited (memlock in limits.conf, LimitMEMLOCK= of the service, "
         "--ulimit memlock=-1 of the container)";
}

std::string filesLine(const ProcessLimits& limits, const Load& load) {
  const uint64_t needed = load.peers ? kFilesOfOthers + static_cast<uint64_t>(load.connections()) : kFilesEnough;
  if (limits.files >= needed) return "";
  const std::string how = limits.filesMost >= needed ? "ulimit -n " + std::to_string(needed)
                                                     : "nofile in limits.conf, LimitNOFILE= of the service";
  return "open files are limited to " + std::to_string(limits.files) + ", " +
         (load.peers ? std::to_string(load.connections()) + " connections need " + std::to_string(needed)
                     : "large jobs need " + std::to_string(needed) + ", one for each connection") +
         ": " + how;
}

std::string queuePairLine(const Port& port, const Load& load) {
  const int64_t needed = int64_t{load.connections()} * load.pathsPerConnection;
  if (port.limits.maxQp <= 0 || needed <= port.limits.maxQp) return "";
  return port.device + " has " + std::to_string(port.limits.maxQp) + " queue pairs and " +
         std::to_string(load.connections()) + " connections of " + std::to_string(load.pathsPerConnection) +
         " paths need " + std::to_string(needed) +
         ": fewer channels (NCCL_NCHANNELS_PER_NET_PEER) or NCCL_IB_QPS_PER_CONNECTION=1";
}

}  // namespace

ProcessLimits readProcessLimits() {
  ProcessLimits limits;
  rlimit r{};
  if (::getrlimit(RLIMIT_MEMLOCK, &r) == 0) limits.memlock = value(r.rlim_cur);
  if (::getrlimit(RLIMIT_NOFILE, &r) == 0) limits.files = value(r.rlim_cur), limits.filesMost = value(r.rlim_max);
  limits.root = ::geteuid() == 0;
  return limits;
}

uint64_t raiseFileLimit() {
  rlimit r{};
  if (::getrlimit(RLIMIT_NOFILE, &r) != 0) return 0;
  const rlim_t before = r.rlim_cur;
  r.rlim_cur = r.rlim_max;
  return value(::setrlimit(RLIMIT_NOFILE, &r) == 0 ? r.rlim_max : before);
}

std::vector<std::string> limitProblems(const ProcessLimits& limits, std::span<const Port> ports, const Load& load) {
  std::vector<std::string> lines = {memlockLine(limits), filesLine(limits, load)};
  for (const Port& port : ports)
    if (port.number == 1) lines.push_back(queuePairLine(port, load));
  std::erase(lines, "");
  return lines;
}

}  // namespace polyrail::net
