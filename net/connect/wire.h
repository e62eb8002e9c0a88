// SPDX-License-Identifier: Apache-2.0
// Byte streams between two ends of a comm, as the handshake and the control channel see them: TCP on a node
// (tcp_wire.h), memory in the simulator. Nothing here ever blocks. A stream and a door have one owner and one thread
// at a time.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "common/status.h"

namespace polyrail::net {

class Stream {
 public:
  // What read() gives when the peer has closed in order.
  static constexpr ssize_t kEnd = -0x10000;

  virtual ~Stream() = default;
  // How many bytes were taken or given; 0: none for now; kEnd; else -errno, and the stream is lost.
  virtual ssize_t write(std::span<const uint8_t> bytes) = 0;
  virtual ssize_t read(std::span<uint8_t> bytes) = 0;
  // To wait for with poll; -1 where there is nothing to wait for.
  virtual int descriptor() const = 0;
  // "10.0.0.2:4711"
  virtual const std::string& peer() const = 0;
};

// Where a listener is: an address of the wire's own kind, at most so long, that travels in NCCL's handle.
struct WireAddress {
  static constexpr size_t kBytes = 32;
  std::array<uint8_t, kBytes> bytes{};
  bool operator==(const WireAddress&) const = default;
};

class Door {
 public:
  virtual ~Door() = default;
  virtual WireAddress address() const = 0;
  // A caller, or null when there is none for now. The error is the door's own end.
  virtual Result<std::unique_ptr<Stream>> admit() = 0;
};

class Wire {
 public:
  virtual ~Wire() = default;
  virtual Result<std::unique_ptr<Door>> listen() = 0;
  // A stream that may still be on its way: its first write or read that fails says so.
  virtual Result<std::unique_ptr<Stream>> dial(const WireAddress& address) = 0;
};

}  // namespace polyrail::net
