// SPDX-License-Identifier: Apache-2.0
// NCCL's vocabulary in our own types: the collectives a tuner is asked for, algorithms, protocols, and which
// combinations NCCL has kernels for. The numbers are NCCL's own (src/include/nccl_common.h and
// src/include/plugin/nccl_tuner.h, 2.30.7), so a cast is the conversion. Stateless; any thread may call anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace polyrail::nccl {

enum class Collective : int { kBroadcast = 0, kReduce = 1, kAllGather = 2, kReduceScatter = 3, kAllReduce = 4 };
enum class Algorithm : int {
  kTree = 0,
  kRing = 1,
  kCollNetDirect = 2,
  kCollNetChain = 3,
  kNvls = 4,
  kNvlsTree = 5,
  kPat = 6,
};
enum class Protocol : int { kLl = 0, kLl128 = 1, kSimple = 2 };

inline constexpr int kNumCollectives = 5;
inline constexpr int kNumAlgorithms = 7;  // 6 until NCCL 2.22, which has no PAT
inline constexpr int kNumProtocols = 3;
inline constexpr int kMaxChannels = 64;  // MAXCHANNELS, src/include/device.h

inline constexpr int kGrainBytes[kNumProtocols] = {16, 1920, 512};  // src/include/device.h, per protocol

// Lower-case names as policies and the command spell them: "allreduce", "collnetdirect", "ll128".
std::string_view name(Collective collective);
std::string_view name(Algorithm algorithm);
std::string_view name(Protocol protocol);

// Any case; '_', '-' and '/' are skipped, a "_perf" suffix too: "all_reduce_perf", "NVLS_TREE", "AllReduce" all
// parse.
std::optional<Collective> parseCollective(std::string_view text);
std::optional<Algorithm> parseAlgorithm(std::string_view text);
std::optional<Protocol> parseProtocol(std::string_view text);

// True when NCCL builds a kernel for it (src/device/generate.py, 2.30.7).
bool hasKernel(Collective collective, Algorithm algorithm, Protocol protocol);

// True for AllGather and ReduceScatter, whose policies are keyed by bytes per rank; the others by total bytes.
constexpr bool keyedPerRank(Collective c) { return c == Collective::kAllGather || c == Collective::kReduceScatter; }

constexpr bool isCollNet(Algorithm a) { return a == Algorithm::kCollNetDirect || a == Algorithm::kCollNetChain; }

}  // namespace polyrail::nccl
