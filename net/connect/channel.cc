// SPDX-License-Identifier: Apache-2.0
#include "net/connect/channel.h"

#include <cerrno>
#include <cstring>

namespace polyrail::net {
namespace {

bool isSilence(int error) {
  return error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH || error == EHOSTDOWN ||
         error == ENETDOWN;
}

}  // namespace

void Channel::send(const std::vector<uint8_t>& frame) { out_.insert(out_.end(), frame.begin(), frame.end()); }

Result<bool> Channel::pump() {
  while (sent_ < out_.size()) {
    const ssize_t n = stream_->write(std::span(out_).subspan(sent_));
    if (n == 0) return false;
    if (n < 0) return Status::error(std::string("cannot send: ") + std::strerror(static_cast<int>(-n)));
    sent_ += static_cast<size_t>(n);
  }
  out_.clear();
  sent_ = 0;
  return true;
}

Result<bool> Channel::fill(size_t want) {
  while (in_.size() < want) {
    const size_t have = in_.size();
    in_.resize(want);
    const ssize_t n = stream_->read(std::span(in_).subspan(have));
    in_.resize(have + static_cast<size_t>(n > 0 ? n : 0));
    if (n == 0) return false;
    if (n == Stream::kEnd) {
      ended_ = true;
      if (have > 0) return Status::error("it hung up in the middle of a message");
      return false;
    }
    if (n < 0) {
      timedOut_ = isSilence(static_cast<int>(-n));
      return Status::error(std::strerror(static_cast<int>(-n)));
    }
  }
  return true;
}

Result<std::optional<Message>> Channel::receive() {
  using Maybe = std::optional<Message>;
  if (const Result<bool> header = fill(kFrameHeader); !header.ok()) return header.status();
  if (in_.size() < kFrameHeader) return Maybe{};
  const Result<Frame> frame = decodeFrame(std::span<const uint8_t>(in_).first(kFrameHeader));
  if (!frame.ok()) return frame.status();
  const size_t whole = kFrameHeader + frame.value().bodyBytes;
  if (const Result<bool> body = fill(whole); !body.ok()) return body.status();
  if (in_.size() < whole) return Maybe{};
  Message message{frame.value(), {in_.begin() + kFrameHeader, in_.end()}};
  in_.clear();
  return Maybe(std::move(message));
}

}  // namespace polyrail::net
