// SPDX-License-Identifier: Apache-2.0
// The layout of a struct as data, and what differs between two layouts of it: ours, NCCL's, or the numbers in
// table/*.inc. Plain values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "test/check-abi/shape.h"

namespace polyrail::abi {

struct Member {
  std::string name;
  size_t offset;
  size_t size;
  std::string shape;
};

struct Layout {
  std::string name;   // ours
  std::string nccl;   // NCCL's
  std::string since;  // tag of the NCCL in which the numbers were read
  size_t size = 0;
  std::vector<Member> members{};  // in the order of the table

  template <typename T>
  void add(const char* member, size_t offset) {
    members.push_back({member, offset, sizeof(T), Shape<T>::text()});
  }
};

// A type of callback, as a layout with the function as its one member.
template <typename T>
Layout callback(const char* ours, const char* nccl, const char* since) {
  Layout layout{ours, nccl, since, sizeof(T)};
  layout.add<T>("()", 0);
  return layout;
}

struct Constant {
  std::string name;
  std::string nccl;
  long long value;
};

struct Abi {
  std::vector<Layout> layouts{};
  std::vector<Constant> constants{};
};

// One sentence per difference, "NetV12.isend: offset 80 in polyrail, 88 in NCCL"; empty when they agree.
// REQUIRES: both were made from one table, so that members pair by position.
inline std::vector<std::string> differences(const Layout& a, const Layout& b, const std::string& inA,
                                            const std::string& inB) {
  std::vector<std::string> out;
  const auto compare = [&](const std::string& what, const std::string& x, const std::string& y) {
    if (x != y) out.push_back(what + " " + x + " " + inA + ", " + y + " " + inB);
  };
  compare(a.name + ": size", std::to_string(a.size), std::to_string(b.size));
  for (size_t i = 0; i < a.members.size() && i < b.members.size(); i++) {
    const Member &x = a.members[i], &y = b.members[i];
    const std::string where = a.name + "." + x.name + ": ";
    compare(where + "offset", std::to_string(x.offset), std::to_string(y.offset));
    compare(where + "size", std::to_string(x.size), std::to_string(y.size));
    compare(where + "shape", x.shape, y.shape);
  }
  return out;
}

}  // namespace polyrail::abi
