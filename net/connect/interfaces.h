// SPDX-License-Identifier: Apache-2.0
// Which network interface the handshake and the control channels use: NCCL's rules (src/os/linux.cc and
// src/misc/socket.cc, 2.30.7). Choosing is a pure function of a list, listing asks the kernel. Any thread.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <string>
#include <vector>

#include "common/status.h"

namespace polyrail::net {

struct Interface {
  std::string name;
  sockaddr_storage address{};
};

// Those that are up and have an IPv4 or IPv6 address, in the kernel's order.
std::vector<Interface> listInterfaces();

struct InterfaceWish {
  std::string names;   // NCCL_SOCKET_IFNAME: [^|=]name,name...; else by prefix; "" for NCCL's order
  std::string family;  // NCCL_SOCKET_FAMILY: "", "AF_INET", "AF_INET6"
};

// Without names: those that begin with "ib", then any but docker, lo and virbr, then docker, lo, virbr. The error
// says what was asked for and what there is.
Result<Interface> chooseInterface(const std::vector<Interface>& all, const InterfaceWish& wish);

std::string text(const sockaddr_storage& address);  // "10.0.0.2:4711", "[fe80::1%2]:4711"

}  // namespace polyrail::net
