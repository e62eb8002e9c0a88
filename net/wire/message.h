// SPDX-License-Identifier: Apache-2.0
// The messages of the handshake (docs/wire-protocol.md, chapter 3) as plain values, and their bytes. Encoding cannot
// fail; decoding takes any bytes and gives the message or one sentence. Nothing here touches a socket.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/status.h"
#include "net/device/gid.h"

namespace polyrail::net {

inline constexpr uint16_t kProtocolVersion = 1;  // the only one so far: lowest and highest we speak
inline constexpr size_t kMaxRails = 8;
inline constexpr size_t kMaxPaths = 64;  // 8 x 8
inline constexpr size_t kMaxFrame = 65536;
inline constexpr size_t kFrameHeader = 12;

enum class MessageType : uint16_t {
  kHello = 1,
  kWelcome = 2,
  kRefused = 3,
  kPaths = 4,
  kReady = 5,
  kGoodbye = 6,
  // Repair: repair.h
  kPathDown = 7,
  kFence = 8,
  kFenced = 9,
  kMake = 10,
  kMade = 11,
  kProve = 12,
  kLive = 13,
  kAbort = 14,
};

enum Feature : uint64_t {
  kFeatureFailover = 1 << 0,
  kFeatureOutOfOrder = 1 << 1,  // the link may place packets out of order: WRITE, then an empty WRITE WITH IMM
  kFeatureStandby = 1 << 2,     // paths between rails of siblings may be made; only with kFeatureFailover
};

using Secret = std::array<uint8_t, 16>;
using Digest = std::array<uint8_t, 32>;  // SHA-256 of the policy; all zero: none

struct RailInfo {
  uint64_t guid = 0;
  Gid gid{};
  uint16_t lid = 0;
  LinkLayer link = LinkLayer::kEthernet;
  uint8_t mtu = 0;  // ibv_mtu: 1 (256) to 5 (4096)
  uint32_t speedMbps = 0;
  int16_t rail = -1, plane = -1;
  std::string name;  // "mlx5_0:1"
  bool operator==(const RailInfo&) const = default;
};

struct Region {
  uint64_t address = 0;
  uint32_t rkey = 0;
  bool operator==(const Region&) const = default;
};

struct Hello {
  Secret secret{};
  uint16_t lowest = kProtocolVersion, highest = kProtocolVersion;
  uint64_t features = 0;
  Digest policy{};
  std::string tunerPlugin, algo, proto;  // NCCL_TUNER_PLUGIN, NCCL_ALGO, NCCL_PROTO
  std::string host;
  uint32_t process = 0;
  int16_t trafficClass = -1;    // that NCCL asks for on this connection, 0..255; -1: none
  std::vector<RailInfo> rails;  // 1..kMaxRails
  bool operator==(const Hello&) const = default;
};

// Enhanced connection establishment, as verbs has it: what a queue pair's vendor can do, or what of it both ends use.
struct Ece {
  uint32_t vendor = 0;  // IEEE OUI; 0: none
  uint32_t options = 0, valid = 0;
  bool operator==(const Ece&) const = default;
};

struct PathEnd {
  uint8_t senderRail = 0, receiverRail = 0;
  uint32_t queuePair = 0, firstPsn = 0;  // 24 bits each
  Region grants, mailbox;                // `grants`: the sender's grant ring; the receiver's size records
  uint32_t postedReceives = 0;           // the receiver's; zero from the sender
  Ece ece{};                             // the receiver's: what it can; the sender's: what both use
  bool operator==(const PathEnd&) const = default;
};

struct Welcome {
  uint16_t version = 0;
  uint64_t features = 0;
  Digest policy{};
  std::string tunerPlugin, algo, proto, host;
  uint32_t process = 0;
  std::vector<RailInfo> rails;
  std::vector<PathEnd> paths;  // 1..kMaxPaths
  // With kFeatureStandby: rails of sibling NICs, numbered on from `rails`; 0..kMaxRails with them.
  std::vector<RailInfo> standbys;
  bool operator==(const Welcome&) const = default;
};

struct Refused {
  std::string reason;
  bool operator==(const Refused&) const = default;
};

struct Paths {
  std::vector<PathEnd> paths;
  bool operator==(const Paths&) const = default;
};

struct Ready {  // nothing to say but that the receiver's queue pairs are connected
  bool operator==(const Ready&) const = default;
};

struct Frame {
  MessageType type{};
  uint32_t epoch = 0;
  uint32_t bodyBytes = 0;
};

std::vector<uint8_t> encode(const Hello& m);
std::vector<uint8_t> encode(const Welcome& m);
std::vector<uint8_t> encode(const Refused& m);
std::vector<uint8_t> encode(const Paths& m);
std::vector<uint8_t> encode(const Ready& m);
std::vector<uint8_t> encodeGoodbye();

// REQUIRES: bytes.size() == kFrameHeader. Length and type are checked; a stranger's bytes end here.
Result<Frame> decodeFrame(std::span<const uint8_t> header);
// The bodies, without the frame header.
Result<Hello> decodeHello(std::span<const uint8_t> body);
Result<Welcome> decodeWelcome(std::span<const uint8_t> body);
Result<Refused> decodeRefused(std::span<const uint8_t> body);
Result<Paths> decodePaths(std::span<const uint8_t> body);
Result<Ready> decodeReady(std::span<const uint8_t> body);

}  // namespace polyrail::net
