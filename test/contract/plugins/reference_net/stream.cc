// SPDX-License-Identifier: Apache-2.0
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "test/contract/plugins/reference_net/comm.h"

namespace reference {

// Grants and acknowledgements are small, and the other end waits for each.
Stream::Stream(int fd) : fd_(fd) {
  const int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
}

Stream::~Stream() {
  if (fd_ >= 0) close(fd_);
}

bool Stream::readSome(void* data, size_t size, size_t* done) {
  while (*done < size) {
    const ssize_t n = recv(fd_, static_cast<char*>(data) + *done, size - *done, MSG_DONTWAIT);
    if (n > 0)
      *done += static_cast<size_t>(n);
    else if (n == 0)
      return false;
    else if (errno != EINTR)
      return errno == EAGAIN;
  }
  return true;
}

bool Stream::writeSome(const void* data, size_t size, size_t* done) {
  while (*done < size) {
    const ssize_t n = send(fd_, static_cast<const char*>(data) + *done, size - *done, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n >= 0)
      *done += static_cast<size_t>(n);
    else if (errno != EINTR)
      return errno == EAGAIN;
  }
  return true;
}

}  // namespace reference
