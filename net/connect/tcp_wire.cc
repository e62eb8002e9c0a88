// SPDX-License-Identifier: Apache-2.0
#include "net/connect/tcp_wire.h"

#include <netinet/tcp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace polyrail::net {
namespace {

// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

socklen_t lengthOf(const sockaddr_storage& a) {
  return a.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

Status systemError(const std::string& what) {
  const int error = errno;
  std::string remedy;
  rlimit files{};
  if (error == EMFILE && ::getrlimit(RLIMIT_NOFILE, &files) == 0)
    remedy =
        " (the limit is " + std::to_string(files.rlim_cur) +
        ", and each connection holds one); raise it: ulimit -n, nofile in limits.conf, LimitNOFILE= of the service";
  if (error == ENFILE) remedy = "; the whole node is out of them: raise fs.file-max";
  return Status::error(what + ": " + std::strerror(error) + remedy);
}

// In network byte order, so that both ends read the same.
struct PackedAddress {
  uint16_t family;  // 4 or 6
  uint16_t port;
  uint32_t scope;
  uint8_t host[16];
};
static_assert(sizeof(PackedAddress) <= WireAddress::kBytes);

WireAddress pack(const sockaddr_storage& address) {
  PackedAddress packed{};
  if (address.ss_family == AF_INET) {
    const auto& in = reinterpret_cast<const sockaddr_in&>(address);
    packed.family = htons(4);
    packed.port = in.sin_port;
    std::memcpy(packed.host, &in.sin_addr, sizeof in.sin_addr);
  } else {
    const auto& in = reinterpret_cast<const sockaddr_in6&>(address);
    packed.family = htons(6);
    packed.port = in.sin6_port;
    packed.scope = htonl(in.sin6_scope_id);
    std::memcpy(packed.host, &in.sin6_addr, sizeof in.sin6_addr);
  }
  WireAddress wire;
  std::memcpy(wire.bytes.data(), &packed, sizeof packed);
  return wire;
}

Result<sockaddr_storage> unpack(const WireAddress& wire) {
  PackedAddress packed;
  std::memcpy(&packed, wire.bytes.data(), sizeof packed);
  sockaddr_storage address{};
  if (packed.family == htons(4)) {
    auto& in = reinterpret_cast<sockaddr_in&>(address);
    in.sin_family = AF_INET;
    in.sin_port = packed.port;
    std::memcpy(&in.sin_addr, packed.host, sizeof in.sin_addr);
  } else if (packed.family == htons(6)) {
    auto& in = reinterpret_cast<sockaddr_in6&>(address);
    in.sin6_family = AF_INET6;
    in.sin6_port = packed.port;
    in.sin6_scope_id = ntohl(packed.scope);
    std::memcpy(&in.sin6_addr, packed.host, sizeof in.sin6_addr);
  } else {
    return Status::error("the handle holds no address");
  }
  return address;
}

// Messages are small and waited for; a peer whose host is gone is noticed within half a minute.
void configure(int fd, const ConnectSettings& s) {
  const auto set = [fd](int level, int option, int value) {
    (void)setsockopt(fd, level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
  if (s.receiveBuffer >= 0) set(SOL_SOCKET, SO_RCVBUF, static_cast<int>(s.receiveBuffer));
  if (s.sendBuffer >= 0) set(SOL_SOCKET, SO_SNDBUF, static_cast<int>(s.sendBuffer));
}

// Nobody listens yet, the backlog is full, local ports are used up, a route is being found.
bool passes(int error) {
  constexpr int kPassing[] = {ECONNREFUSED, ECONNRESET,    ETIMEDOUT,  EHOSTUNREACH, ENETUNREACH, EHOSTDOWN,
                              ENETDOWN,     EADDRNOTAVAIL, EADDRINUSE, EAGAIN,       EINTR};
  return std::find(std::begin(kPassing), std::end(kPassing), error) != std::end(kPassing);
}

class TcpStream final : public Stream {
 public:
  // `error`: why it will never get there, 0: it may.
  TcpStream(Descriptor fd, const sockaddr_storage& peer, int error = 0)
      : fd_(std::move(fd)), peer_(text(peer)), error_(error) {}

  ssize_t write(std::span<const uint8_t> bytes) override {
    if (error_) return -error_;
    return outcome(::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT), bytes.size());
  }
  ssize_t read(std::span<uint8_t> bytes) override {
    if (error_) return -error_;
    const ssize_t n = ::recv(fd_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    return n == 0 && !bytes.empty() ? kEnd : outcome(n, bytes.size());
  }
  int descriptor() const override { return fd_.get(); }
  const std::string& peer() const override { return peer_; }

 private:
  // ENOTCONN: still on its way.
  static ssize_t outcome(ssize_t n, size_t) {
    if (n >= 0) return n;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ENOTCONN || errno == EINPROGRESS
               ? 0
               : -errno;
  }

  const Descriptor fd_;
  const std::string peer_;
  const int error_;
};

class TcpDoor final : public Door {
 public:
  TcpDoor(Descriptor fd, const sockaddr_storage& address, const ConnectSettings& settings)
      : fd_(std::move(fd)), address_(pack(address)), settings_(settings) {}

  WireAddress address() const override { return address_; }
  Result<std::unique_ptr<Stream>> admit() override {
    sockaddr_storage peer{};
    socklen_t length = sizeof peer;
    Descriptor fd(::accept4(fd_.get(), reinterpret_cast<sockaddr*>(&peer), &length, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (fd.get() < 0) {
      // What man accept(2) says to try again after, and a caller that hung up already.
      for (const int again : {EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED, EPROTO, ENETDOWN, EHOSTDOWN, ENONET,
                              EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH})
        if (errno == again) return std::unique_ptr<Stream>();
      return systemError("cannot accept");
    }
    configure(fd.get(), settings_);
    return std::unique_ptr<Stream>(std::make_unique<TcpStream>(std::move(fd), peer));
  }

 private:
  const Descriptor fd_;
  const WireAddress address_;
  const ConnectSettings settings_;
};

}  // namespace

Result<std::unique_ptr<Door>> TcpWire::listen() {
  sockaddr_storage address = interface_.address;
  if (address.ss_family == AF_INET)
    reinterpret_cast<sockaddr_in&>(address).sin_port = 0;
  else
    reinterpret_cast<sockaddr_in6&>(address).sin6_port = 0;
  Descriptor fd(::socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (fd.get() < 0) return systemError("cannot open a socket");
  socklen_t length = lengthOf(address);
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(fd.get(), SOMAXCONN) != 0 ||
      ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0)
    return systemError("cannot listen on " + interface_.name + " " + text(address));
  return std::unique_ptr<Door>(std::make_unique<TcpDoor>(std::move(fd), address, settings_));
}

Result<std::unique_ptr<Stream>> TcpWire::dial(const WireAddress& wire) {
  const Result<sockaddr_storage> address = unpack(wire);
  if (!address.ok()) return address.status();
  const sockaddr_storage& to = address.value();
  Descriptor fd(::socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (fd.get() < 0) return systemError("cannot open a socket");
  configure(fd.get(), settings_);
  const bool begun =
      ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), lengthOf(to)) == 0 || errno == EINPROGRESS;
  // What may be over in a moment is told as if it had come later: whoever dials may try again.
  const int error = begun ? 0 : errno;
  if (error && !passes(error)) return systemError("cannot reach " + text(to));
  return std::unique_ptr<Stream>(std::make_unique<TcpStream>(std::move(fd), to, error));
}

}  // namespace polyrail::net
