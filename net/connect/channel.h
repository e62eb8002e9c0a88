// SPDX-License-Identifier: Apache-2.0
// Messages on a stream: whole frames in, whole frames out, bounded in size, never blocking. After the handshake it is
// the comm's control channel. One owner, one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "net/connect/wire.h"
#include "net/wire/message.h"

namespace polyrail::net {

struct Message {
  Frame frame;
  std::vector<uint8_t> body;
};

class Channel {
 public:
  Channel() = default;
  explicit Channel(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}

  // Queues a frame (as encode() made it); pump() sends.
  void send(const std::vector<uint8_t>& frame);
  // Sends what the stream takes. True when nothing is left to send.
  Result<bool> pump();
  // The next whole message, if there is one. An error names what the peer did; the channel is of no use then.
  Result<std::optional<Message>> receive();
  // The peer closed its end in order; whole messages before that have been received.
  bool ended() const { return ended_; }
  // The error was that nothing came back for a while: the peer may be there and the way to it cut.
  bool timedOut() const { return timedOut_; }

  explicit operator bool() const { return stream_ != nullptr; }
  int descriptor() const { return stream_->descriptor(); }
  const std::string& peer() const { return stream_->peer(); }
  void close() { stream_.reset(); }

 private:
  // Reads until `want` bytes are there; false when they are not there yet.
  Result<bool> fill(size_t want);

  std::unique_ptr<Stream> stream_;
  std::vector<uint8_t> out_, in_;
  size_t sent_ = 0;
  bool ended_ = false, timedOut_ = false;
};

}  // namespace polyrail::net
