// SPDX-License-Identifier: Apache-2.0
#include "cli/policy/cover.h"

#include <algorithm>
#include <vector>

namespace polyrail {
namespace {

constexpr size_t kMostPieces = 512;

bool isEmpty(const Box& box) {
  return std::any_of(box.begin(), box.end(), [](const Range& side) { return side.min > side.max; });
}

// Cuts off what lies beside `cutter`, one side after the other; what is left in the end lies inside it.
void subtract(Box box, const Box& cutter, std::vector<Box>& rest) {
  for (size_t side = 0; side < kBoxSides; side++) {
    const Range whole = box[side], cut = cutter[side];
    if (whole.min < cut.min) {
      box[side] = {whole.min, cut.min - 1};
      rest.push_back(box);
    }
    if (whole.max > cut.max) {
      box[side] = {cut.max + 1, whole.max};
      rest.push_back(box);
    }
    box[side] = {std::max(whole.min, cut.min), std::min(whole.max, cut.max)};
  }
}

}  // namespace

bool overlaps(const Box& a, const Box& b) {
  for (size_t side = 0; side < kBoxSides; side++)
    if (a[side].min > b[side].max || b[side].min > a[side].max) return false;
  return true;
}

std::optional<bool> isCovered(const Box& box, std::span<const Box> by) {
  if (isEmpty(box)) return true;
  std::vector<Box> rest = {box}, next;
  for (const Box& cutter : by) {
    next.clear();
    for (const Box& piece : rest)
      if (overlaps(piece, cutter))
        subtract(piece, cutter, next);
      else
        next.push_back(piece);
    rest.swap(next);
    if (rest.empty()) return true;
    if (rest.size() > kMostPieces) return std::nullopt;
  }
  return false;
}

}  // namespace polyrail
