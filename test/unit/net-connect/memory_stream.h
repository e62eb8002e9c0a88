// SPDX-License-Identifier: Apache-2.0
// Two streams joined in memory, with the habits of bad peers: bytes that trickle, a line that is cut, a reset.
#pragma once

#include <algorithm>
#include <cerrno>
#include <deque>
#include <memory>
#include <utility>

#include "net/connect/wire.h"

namespace polyrail::net {

struct Pipe {
  std::deque<uint8_t> bytes;
  bool closed = false;
  size_t atOnce = SIZE_MAX;      // bytes that a write or a read may move
  size_t resetAfter = SIZE_MAX;  // bytes, then ECONNRESET
};

class MemoryStream final : public Stream {
 public:
  MemoryStream(std::shared_ptr<Pipe> in, std::shared_ptr<Pipe> out, std::string peer)
      : in_(std::move(in)), out_(std::move(out)), peer_(std::move(peer)) {}
  ~MemoryStream() override { out_->closed = true; }

  ssize_t write(std::span<const uint8_t> bytes) override {
    if (in_->closed) return -EPIPE;
    const size_t n = std::min(bytes.size(), out_->atOnce);
    out_->bytes.insert(out_->bytes.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(n));
    return static_cast<ssize_t>(n);
  }
  ssize_t read(std::span<uint8_t> bytes) override {
    if (read_ >= in_->resetAfter) return -ECONNRESET;
    if (in_->bytes.empty()) return in_->closed ? kEnd : 0;
    const size_t n = std::min({bytes.size(), in_->bytes.size(), in_->atOnce, in_->resetAfter - read_});
    std::copy_n(in_->bytes.begin(), n, bytes.begin());
    in_->bytes.erase(in_->bytes.begin(), in_->bytes.begin() + static_cast<ptrdiff_t>(n));
    read_ += n;
    return static_cast<ssize_t>(n);
  }
  int descriptor() const override { return -1; }
  const std::string& peer() const override { return peer_; }

 private:
  const std::shared_ptr<Pipe> in_, out_;
  const std::string peer_;
  size_t read_ = 0;
};

struct StreamPair {
  std::shared_ptr<Pipe> toReceiver = std::make_shared<Pipe>(), toSender = std::make_shared<Pipe>();
  std::unique_ptr<Stream> sender() { return std::make_unique<MemoryStream>(toSender, toReceiver, "10.0.0.2:1"); }
  std::unique_ptr<Stream> receiver() { return std::make_unique<MemoryStream>(toReceiver, toSender, "10.0.0.1:2"); }
};

}  // namespace polyrail::net
