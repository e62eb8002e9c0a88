// SPDX-License-Identifier: Apache-2.0
#include "test/emu/real/sockets.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>

namespace polyrail::emu {
namespace {

constexpr int kType = SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK;

// An abstract name begins with a zero byte and lives in no file system.
socklen_t abstractAddress(const std::string& name, sockaddr_un* out) {
  *out = sockaddr_un{};
  out->sun_family = AF_UNIX;
  const size_t length = std::min(name.size(), sizeof out->sun_path - 1);
  std::memcpy(out->sun_path + 1, name.data(), length);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
}

}  // namespace

int64_t monotonicNs() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

int bindAbstract(const std::string& name) {
  const int fd = socket(AF_UNIX, kType, 0);
  sockaddr_un address;
  const socklen_t length = abstractAddress(name, &address);
  if (fd >= 0 && bind(fd, reinterpret_cast<sockaddr*>(&address), length) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

bool listenOn(int fd) { return listen(fd, 256) == 0; }

int connectAbstract(const std::string& name) {
  const int fd = socket(AF_UNIX, kType, 0);
  sockaddr_un address;
  const socklen_t length = abstractAddress(name, &address);
  if (fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&address), length) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

int acceptAbstract(int listener) { return accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int makeSharedMemory(size_t size) {
  const int fd = memfd_create("polyrail-emu", MFD_CLOEXEC);
  if (fd >= 0 && ftruncate(fd, static_cast<off_t>(size)) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

bool sendGreeting(int fd, const Greeting& greeting, int memory) {
  Greeting copy = greeting;
  iovec data = {&copy, sizeof copy};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof memory)] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* c = CMSG_FIRSTHDR(&message);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof memory);
  std::memcpy(CMSG_DATA(c), &memory, sizeof memory);
  return sendmsg(fd, &message, MSG_NOSIGNAL) == sizeof copy;
}

int receiveGreeting(int fd, Greeting* greeting, int* pid) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
  *pid = peer.pid;
  pollfd p = {fd, POLLIN, 0};
  if (poll(&p, 1, 1000) != 1) return -1;
  iovec data = {greeting, sizeof *greeting};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  const cmsghdr* c = CMSG_FIRSTHDR(&message);
  int memory = -1;
  if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
    std::memcpy(&memory, CMSG_DATA(c), sizeof memory);
  if (got == sizeof *greeting) return memory;
  if (memory >= 0) close(memory);
  return -1;
}

void wakePeer(int fd) {
  const char one = 1;
  (void)!send(fd, &one, 1, MSG_NOSIGNAL | MSG_DONTWAIT);  // full: it has been woken often enough; gone: poll says so
}

bool drainWakeUps(int fd) {
  char bytes[64];
  for (;;) {
    const ssize_t got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got > 0) continue;
    return got < 0 && errno == EAGAIN;
  }
}

}  // namespace polyrail::emu
