// SPDX-License-Identifier: Apache-2.0
#include "cli/top/rail_order.h"

#include <algorithm>

namespace polyrail::cli {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

size_t digitsAt(const std::string& name, size_t at) {
  size_t end = at;
  while (end < name.size() && isDigit(name[end])) end++;
  return end - at;
}

}  // namespace

// The longer number is the larger one, whatever its digits.
bool railBefore(const std::string& a, const std::string& b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); i++) {
    const size_t inA = digitsAt(a, i), inB = digitsAt(b, i);
    if (inA && inB && inA != inB) return inA < inB;
    if (a[i] != b[i]) return a[i] < b[i];
  }
  return a.size() < b.size();
}

}  // namespace polyrail::cli
