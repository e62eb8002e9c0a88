// SPDX-License-Identifier: Apache-2.0
#include "common/text/suggest.h"

#include <algorithm>

namespace polyrail {

size_t editDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> older, old(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); j++) row[j] = j;
  for (size_t i = 1; i <= a.size(); i++) {
    older = old;
    old = row;
    row[0] = i;
    for (size_t j = 1; j <= b.size(); j++) {
      const size_t substituted = old[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({old[j] + 1, row[j - 1] + 1, substituted});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], older[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string didYouMean(const std::string& word, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const size_t distance = editDistance(word, candidate);
    if (distance < least) least = distance, best = &candidate;
  }
  return best ? ", did you mean '" + *best + "'?" : "";
}

}  // namespace polyrail
