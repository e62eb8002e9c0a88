// SPDX-License-Identifier: Apache-2.0
// The messages of failure repair and fail-back (docs/wire-protocol.md, chapter 5) as plain values, and their bytes.
// Encoding cannot fail; decoding takes any bytes and gives the message or one sentence.
#pragma once

#include "net/path/layout.h"
#include "net/wire/message.h"

namespace polyrail::net {

// A path and which queue pair it meant. An incarnation never comes again.
struct PathName {
  uint8_t path = 0;  // place in the path list
  uint16_t incarnation = 0;
  bool operator==(const PathName&) const = default;
};

struct PathDown {  // receiver to sender
  PathName path;
  std::string why;
  bool operator==(const PathDown&) const = default;
};

struct Fence {  // sender to receiver
  uint32_t epoch = 0;
  std::vector<PathName> paths;  // 1..kMaxCommPaths
  bool operator==(const Fence&) const = default;
};

struct Fenced {  // receiver to sender
  static constexpr uint8_t kNoPath = 0xff;
  using Bits = std::array<uint64_t, kMaxChunks / 64>;
  struct Request {
    bool done = false;
    Bits arrived{};  // of no meaning when done
    bool operator==(const Request&) const = default;
  };
  struct Slot {
    uint64_t number = 0;
    std::vector<Request> requests;  // 1..kGroup
    bool operator==(const Slot&) const = default;
  };
  uint32_t epoch = 0;
  uint8_t grantPath = kNoPath;  // where grants come from now
  std::vector<Slot> slots;      // the last kSlots granted; of older ones everything has arrived
  bool operator==(const Fenced&) const = default;
};

// One end of a new incarnation; MAKE is the sender's, MADE the receiver's answer.
struct NewPath {
  PathName path;
  RailInfo rail;  // as it is now
  PathEnd end;
  bool operator==(const NewPath&) const = default;
};

struct Prove {  // sender to receiver: my first WRITE on it has completed, try yours
  PathName path;
  bool operator==(const Prove&) const = default;
};

struct Live {  // receiver to sender: so has mine
  PathName path;
  uint8_t grantPath = Fenced::kNoPath;
  bool operator==(const Live&) const = default;
};

struct Abort {  // both: this comm has ended here
  std::string why;
  bool operator==(const Abort&) const = default;
};

std::vector<uint8_t> encode(const PathDown& m);
std::vector<uint8_t> encode(const Fence& m);
std::vector<uint8_t> encode(const Fenced& m);
std::vector<uint8_t> encodeMake(const NewPath& m);
std::vector<uint8_t> encodeMade(const NewPath& m);
std::vector<uint8_t> encode(const Prove& m);
std::vector<uint8_t> encode(const Live& m);
std::vector<uint8_t> encode(const Abort& m);

// The bodies, without the frame header; `epoch` is the header's.
Result<PathDown> decodePathDown(std::span<const uint8_t> body);
Result<Fence> decodeFence(std::span<const uint8_t> body, uint32_t epoch);
Result<Fenced> decodeFenced(std::span<const uint8_t> body, uint32_t epoch);
Result<NewPath> decodeNewPath(std::span<const uint8_t> body);
Result<Prove> decodeProve(std::span<const uint8_t> body);
Result<Live> decodeLive(std::span<const uint8_t> body);
Result<Abort> decodeAbort(std::span<const uint8_t> body);

}  // namespace polyrail::net
