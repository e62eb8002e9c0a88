// SPDX-License-Identifier: Apache-2.0
#include "tuner/snapshot.h"

#include <algorithm>

namespace polyrail {

uint32_t Snapshot::resolve(uint32_t index, const Request& r) const noexcept {
  const Conditions& conditions = conditions_[index];
  const size_t variant = static_cast<size_t>(r.registered);
  const uint64_t operations = static_cast<uint64_t>(std::max(r.pipeOps, 0));
  const auto begin = pieces_.begin() + conditions.begin[variant];
  const auto end = pieces_.begin() + conditions.begin[variant + 1];
  const auto after = std::upper_bound(begin, end, operations,
                                      [](uint64_t n, const SizeIndex::Step& piece) { return n < piece.start; });
  return std::prev(after)->value;
}

uint32_t Snapshot::chunk(int collective, int algorithm, int protocol, uint64_t bytes) const noexcept {
  const unsigned c = static_cast<unsigned>(collective), a = static_cast<unsigned>(algorithm),
                 p = static_cast<unsigned>(protocol);
  if (c >= nccl::kNumCollectives || a >= nccl::kNumAlgorithms || p >= nccl::kNumProtocols) return SizeIndex::kNothing;
  return chunks_[(c * nccl::kNumAlgorithms + a) * nccl::kNumProtocols + p].find(bytes);
}

}  // namespace polyrail
