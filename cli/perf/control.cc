// SPDX-License-Identifier: Apache-2.0
#include "cli/perf/control.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "common/clock.h"

namespace polyrail::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLongestLine = 1 << 20;  // a plan of 10000 sizes and the names of hundreds of devices fit
constexpr int64_t kDialNs = 5'000'000'000;

Status systemError(const std::string& what) { return Status::error(what + ": " + std::strerror(errno)); }
Status gone() { return Status::error("the other end has closed the connection"); }

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// A host that drops packets would keep connect() for minutes. 0, or an errno.
int connectUntil(int fd, const addrinfo& to, int64_t endNs) {
  if (::connect(fd, to.ai_addr, to.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd p{fd, POLLOUT, 0};
  const int64_t left = std::max<int64_t>(endNs - RealClock().nowNs(), 0);
  if (::poll(&p, 1, static_cast<int>(left / 1'000'000 + 1)) <= 0) return ETIMEDOUT;
  int error = 0;
  socklen_t length = sizeof error;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

Result<int> dialOnce(const addrinfo* list, int64_t endNs) {
  int error = EADDRNOTAVAIL;
  for (const addrinfo* a = list; a != nullptr; a = a->ai_next) {
    const int fd = ::socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
    if (fd < 0) continue;
    error = connectUntil(fd, *a, endNs);
    if (error == 0 && fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0) return fd;
    ::close(fd);
  }
  return Status::error(std::strerror(error));
}

// A machine without IPv6 has only the second.
int openSocket(int port) {
  const int one = 1, zero = 0;
  sockaddr_in6 any6{};
  any6.sin6_family = AF_INET6, any6.sin6_port = htons(static_cast<uint16_t>(port));
  sockaddr_in any4{};
  any4.sin_family = AF_INET, any4.sin_port = any6.sin6_port;
  for (const int family : {AF_INET6, AF_INET}) {
    const int fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) continue;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof zero);
    const auto* address =
        family == AF_INET6 ? reinterpret_cast<sockaddr*>(&any6) : reinterpret_cast<sockaddr*>(&any4);
    if (::bind(fd, address, family == AF_INET6 ? sizeof any6 : sizeof any4) == 0 && ::listen(fd, 1) == 0) return fd;
    const int error = errno;
    ::close(fd);
    errno = error;
  }
  return -1;
}

Result<Json> parsed(const std::string& line) {
  Json value = Json::parse(line, nullptr, false);
  if (!value.is_object()) return Status::error("the other end is no polyrail perf: it does not speak JSON");
  if (const auto error = value.find("error"); error != value.end() && error->is_string())
    return Status::error("the other end: " + error->get<std::string>());
  return value;
}

}  // namespace

Control::~Control() {
  if (socket_ >= 0) ::close(socket_);
}

Result<Control> Control::dial(const std::string& host, int port) {
  const std::string service = std::to_string(port);
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (const int error = getaddrinfo(host.c_str(), service.c_str(), &hints, &found); error != 0)
    return Status::error(fmt::format("{}: {}", host, gai_strerror(error)));
  const Addresses list(found, &freeaddrinfo);
  const RealClock clock;
  const int64_t end = clock.nowNs() + kDialNs;
  for (;;) {
    const Result<int> fd = dialOnce(list.get(), end);
    if (fd.ok()) {
      const int one = 1;
      setsockopt(fd.value(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
      return Control(fd.value());
    }
    if (clock.nowNs() > end)
      return Status::error(
          fmt::format("{} port {}: {}; start `polyrail perf` there first", host, port, fd.message()));
    usleep(100'000);
  }
}

Status Control::send(const Json& value) {
  const std::string line = value.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (size_t at = 0; at < line.size();) {
    const ssize_t n = ::send(socket_, line.data() + at, line.size() - at, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return lastWords(systemError("the other end"));
    at += static_cast<size_t>(n);
  }
  return {};
}

// An end that gives up says why and goes: who writes to it then meets a broken pipe, with the reason still to be
// read.
Status Control::lastWords(Status otherwise) {
  for (size_t before = ~size_t{}; before != read_.size() && more(0).ok();) before = read_.size();
  const Status said = complaint();
  return said.ok() ? otherwise : said;
}

Status Control::giveUp(Status why) {
  (void)send({{"error", why.message()}});  // it may be gone
  return why;
}

Status Control::lineIsShort() const {
  if (read_.size() <= kLongestLine || read_.find('\n') != read_.npos) return {};
  return Status::error("the other end is no polyrail perf: it sends a line without end");
}

// Reads what there is, after waiting for it at most so long.
Status Control::more(int milliseconds) {
  if (Status s = lineIsShort(); !s.ok()) return s;
  pollfd p{socket_, POLLIN, 0};
  const int ready = ::poll(&p, 1, milliseconds);
  if (ready < 0) return errno == EINTR ? Status() : systemError("poll");
  if (ready == 0) return {};
  char bytes[4096];
  const ssize_t n = ::recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
  if (n == 0) return gone();
  if (n < 0) return errno == EAGAIN || errno == EINTR ? Status() : systemError("the other end");
  read_.append(bytes, static_cast<size_t>(n));
  return {};
}

Result<Json> Control::receive(double seconds) {
  const RealClock clock;
  const int64_t end = clock.nowNs() + static_cast<int64_t>(seconds * 1e9);
  for (size_t line; (line = read_.find('\n')) == read_.npos;) {
    const int64_t left = end - clock.nowNs();
    if (left <= 0) return Status::error(fmt::format("the other end was silent for {:.4g} s", seconds));
    if (const Status s = more(static_cast<int>(std::min<int64_t>(left / 1'000'000 + 1, 60'000))); !s.ok()) return s;
  }
  const size_t line = read_.find('\n');
  const std::string text = read_.substr(0, line);
  read_.erase(0, line + 1);
  return parsed(text);
}

// The first error among the lines that came.
Status Control::complaint() const {
  for (size_t at = 0, end; (end = read_.find('\n', at)) != read_.npos; at = end + 1)
    if (const Result<Json> said = parsed(read_.substr(at, end - at)); !said.ok()) return said.status();
  return {};
}

Status Control::check() {
  const Status status = more(0), said = complaint();
  return said.ok() ? status : said;
}

Result<ControlDoor> ControlDoor::open(int port) {
  const int fd = openSocket(port);
  if (fd < 0) return systemError(fmt::format("port {}", port));
  return ControlDoor(fd);
}

ControlDoor::~ControlDoor() {
  if (socket_ >= 0) ::close(socket_);
}

int ControlDoor::port() const {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

Result<Control> ControlDoor::admit() {
  int fd = -1;
  while ((fd = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC)) < 0 && errno == EINTR) {
  }
  if (fd < 0) return systemError("accept");
  const int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return Control(fd);
}

}  // namespace polyrail::cli
