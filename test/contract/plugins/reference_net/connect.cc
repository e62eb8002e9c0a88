// SPDX-License-Identifier: Apache-2.0
#include "test/contract/plugins/reference_net/connect.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <new>

namespace reference {

using polyrail::nccl::Result;

struct Listener {
  Stream socket;
  uint64_t secret;
  Stream* pending = nullptr;  // accepted, its greeting not yet whole
  uint64_t greeting = 0;
  size_t greeted = 0;
};

namespace {

struct Handle {
  uint64_t secret;
  sockaddr_in address;
  SendComm* begun;  // null in a fresh copy
  size_t greeted;
};
static_assert(sizeof(Handle) <= polyrail::nccl::kNetHandleBytes);

int newSocket() { return socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

bool established(int fd) {
  pollfd ready{fd, POLLOUT, 0};
  return poll(&ready, 1, 0) == 1;
}

}  // namespace

Result listenOn(void* memory, Listener** listener) {
  Handle* handle = new (memory) Handle{};
  const int fd = newSocket();
  if (fd < 0) return Result::kSystemError;
  *listener = new Listener{Stream(fd), 0};
  handle->address.sin_family = AF_INET;
  handle->address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* address = reinterpret_cast<sockaddr*>(&handle->address);
  socklen_t size = sizeof(handle->address);
  const bool up = bind(fd, address, size) == 0 && listen(fd, 16) == 0 && getsockname(fd, address, &size) == 0 &&
                  getrandom(&handle->secret, sizeof(handle->secret), 0) == sizeof(handle->secret);
  (*listener)->secret = handle->secret;
  return up ? Result::kSuccess : Result::kSystemError;
}

Result connectOnce(void* memory, SendComm** comm) {
  auto* handle = static_cast<Handle*>(memory);
  if (handle->begun == nullptr) {
    const int fd = newSocket();
    if (fd < 0) return Result::kSystemError;
    handle->begun = new SendComm(fd);
    handle->greeted = 0;
    const auto* address = reinterpret_cast<const sockaddr*>(&handle->address);
    if (connect(fd, address, sizeof(handle->address)) != 0 && errno != EINPROGRESS) return Result::kRemoteError;
  }
  Stream& stream = handle->begun->stream;
  if (!established(stream.fd())) return Result::kSuccess;
  if (!stream.writeSome(&handle->secret, sizeof(handle->secret), &handle->greeted)) return Result::kRemoteError;
  if (handle->greeted == sizeof(handle->secret)) *comm = handle->begun;
  return Result::kSuccess;
}

Result acceptOnce(Listener* listener, RecvComm** comm) {
  if (listener->pending == nullptr) {
    const int fd = accept4(listener->socket.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return errno == EAGAIN || errno == ECONNABORTED ? Result::kSuccess : Result::kSystemError;
    listener->pending = new Stream(fd);
    listener->greeted = 0;
  }
  Stream* stream = listener->pending;
  const bool alive = stream->readSome(&listener->greeting, sizeof(listener->greeting), &listener->greeted);
  if (alive && listener->greeted < sizeof(listener->greeting)) return Result::kSuccess;
  listener->pending = nullptr;
  if (alive && listener->greeting == listener->secret) {
    *comm = new RecvComm(stream->fd());
    stream->forget();
  }
  delete stream;  // a stranger is turned away; the next may be the peer
  return Result::kSuccess;
}

void closeListener(Listener* listener) {
  delete listener->pending;
  delete listener;
}

}  // namespace reference
