// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/faults.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>

namespace polyrail::contract {

void Faults::add(const std::string& sentence) {
  count_++;
  const uint32_t size = static_cast<uint32_t>(sentence.size() + 1);
  const uint32_t at = used_.fetch_add(size);
  if (at + size > kBytes) return;
  std::memcpy(&text_[at], sentence.data(), sentence.size());
  text_[at + size - 1] = '\n';
}

std::string Faults::text() const {
  std::string all;
  std::set<std::string> seen;
  std::istringstream lines(std::string(text_.data(), std::min<size_t>(used_, kBytes)));
  for (std::string line; std::getline(lines, line);)
    if (line = line.c_str(); !line.empty() && seen.insert(line).second) all += line + '\n';
  return all;
}

}  // namespace polyrail::contract
