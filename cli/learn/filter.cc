// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/filter.h"

#include <optional>
#include <string>

namespace polyrail::cli {
namespace {

// Cuts the text before the next separator off the front.
std::string_view cut(std::string_view& text, char separator) {
  const size_t at = std::min(text.find(separator), text.size());
  const std::string_view head = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return head;
}

// "^ll,ll128" or "ring,tree" to a mask.
template <typename Parse>
Result<uint32_t> maskOf(std::string_view list, uint32_t all, Parse parse) {
  const bool negated = !list.empty() && list.front() == '^';
  if (negated) list.remove_prefix(1);
  uint32_t mask = 0;
  while (!list.empty()) {
    const std::string_view word = cut(list, ',');
    const auto value = parse(word);
    if (!value) return Status::error("'" + std::string(word) + "' is no name that NCCL knows");
    mask |= 1u << static_cast<int>(*value);
  }
  return negated ? all & ~mask : mask;
}

// Entries are separated by ';'. An entry without a collective's name holds for all; one with the name overrides it.
template <typename Parse>
Result<uint32_t> allowed(std::string_view text, nccl::Collective collective, int count, Parse parse) {
  const uint32_t all = (1u << count) - 1;
  uint32_t mask = all;
  while (!text.empty()) {
    std::string_view entry = cut(text, ';');
    const size_t colon = entry.find(':');
    if (colon != std::string_view::npos) {
      const auto named = nccl::parseCollective(entry.substr(0, colon));
      if (!named) return Status::error("'" + std::string(entry.substr(0, colon)) + "' is no collective of NCCL's");
      if (*named != collective) continue;
      entry.remove_prefix(colon + 1);
    }
    const Result<uint32_t> read = maskOf(entry, all, parse);
    if (!read.ok()) return read;
    mask = read.value();
  }
  return mask;
}

}  // namespace

Result<uint32_t> allowedAlgorithms(std::string_view text, nccl::Collective collective) {
  return allowed(text, collective, nccl::kNumAlgorithms, nccl::parseAlgorithm);
}

Result<uint32_t> allowedProtocols(std::string_view text, nccl::Collective collective) {
  return allowed(text, collective, nccl::kNumProtocols, nccl::parseProtocol);
}

}  // namespace polyrail::cli
