// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the nearest known word to one that is not. Stateless.
#pragma once

#include <string>
#include <vector>

namespace polyrail {

// Insertions, deletions, substitutions and swaps of neighbours that turn one into the other.
size_t editDistance(const std::string& a, const std::string& b);

// ", did you mean 'learn'?" or "" when nothing is near (more than a third of the word off).
std::string didYouMean(const std::string& word, const std::vector<std::string>& known);

}  // namespace polyrail
