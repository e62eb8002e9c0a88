// SPDX-License-Identifier: Apache-2.0
#include "net/connect/interfaces.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <cstring>

namespace polyrail::net {
namespace {

struct NameFilter {
  bool exclude = false, exact = false;
  std::vector<std::string> names;

  explicit NameFilter(std::string_view text) {
    if (text.starts_with('^')) exclude = true, text.remove_prefix(1);
    if (text.starts_with('=')) exact = true, text.remove_prefix(1);
    while (!text.empty()) {
      const size_t comma = text.find(',');
      // A colon and what follows is a port of an older grammar, which NCCL still accepts and ignores here.
      const std::string_view name = text.substr(0, std::min({comma, text.find(':'), text.size()}));
      if (!name.empty()) names.emplace_back(name);
      text.remove_prefix(comma == text.npos ? text.size() : comma + 1);
    }
  }
  bool allows(const std::string& name) const {
    for (const std::string& n : names)
      if (exact ? name == n : name.starts_with(n)) return !exclude;
    return exclude;
  }
};

int familyWished(const std::string& family) {
  if (family == "AF_INET") return AF_INET;
  if (family == "AF_INET6") return AF_INET6;
  return AF_UNSPEC;
}

const Interface* first(const std::vector<Interface>& all, const NameFilter& filter, int family) {
  for (const Interface& i : all)
    if (filter.allows(i.name) && (family == AF_UNSPEC || i.address.ss_family == family)) return &i;
  return nullptr;
}

std::string namesOf(const std::vector<Interface>& all) {
  std::string names;
  for (const Interface& i : all) names += (names.empty() ? "" : ", ") + i.name + " " + text(i.address);
  return names.empty() ? "none" : names;
}

}  // namespace

std::vector<Interface> listInterfaces() {
  std::vector<Interface> all;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return all;
  for (const ifaddrs* i = list; i; i = i->ifa_next) {
    if (!i->ifa_addr || !(i->ifa_flags & IFF_UP)) continue;
    const int family = i->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    Interface found{i->ifa_name, {}};
    std::memcpy(&found.address, i->ifa_addr, family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    all.push_back(found);
  }
  freeifaddrs(list);
  return all;
}

Result<Interface> chooseInterface(const std::vector<Interface>& all, const InterfaceWish& wish) {
  const int family = familyWished(wish.family);
  if (!wish.names.empty()) {
    if (const Interface* i = first(all, NameFilter(wish.names), family)) return *i;
    return Status::error("no interface that is up fits NCCL_SOCKET_IFNAME=" + wish.names +
                         (wish.family.empty() ? "" : " with NCCL_SOCKET_FAMILY=" + wish.family) +
                         "; there are: " + namesOf(all));
  }
  for (const char* names : {"ib", "^docker,lo,virbr", "docker", "lo", "virbr"})
    if (const Interface* i = first(all, NameFilter(names), family)) return *i;
  return Status::error("no network interface is up" +
                       (wish.family.empty() ? std::string() : " with NCCL_SOCKET_FAMILY=" + wish.family) +
                       "; there are: " + namesOf(all));
}

std::string text(const sockaddr_storage& address) {
  char host[INET6_ADDRSTRLEN] = "?";
  if (address.ss_family == AF_INET) {
    const auto& in = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &in.sin_addr, host, sizeof host);
    return std::string(host) + ":" + std::to_string(ntohs(in.sin_port));
  }
  const auto& in = reinterpret_cast<const sockaddr_in6&>(address);
  inet_ntop(AF_INET6, &in.sin6_addr, host, sizeof host);
  const std::string scope = in.sin6_scope_id ? "%" + std::to_string(in.sin6_scope_id) : "";
  return "[" + std::string(host) + scope + "]:" + std::to_string(ntohs(in.sin6_port));
}

}  // namespace polyrail::net
