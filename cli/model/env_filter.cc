// SPDX-License-Identifier: Apache-2.0
#include "cli/model/env_filter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string_view>

#include "cli/output/suggest.h"

namespace polyrail::nccl {
namespace {

constexpr int kPerCollectiveSince = 22403;

using Words = std::vector<std::string_view>;

// As strtok: runs of the separator count as one, at the ends as none.
Words split(std::string_view text, char separator) {
  Words words;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

// Not the tolerant parsers of terms.h: NCCL takes no "all_reduce".
template <typename Enum>
int find(std::string_view word, int count) {
  for (int i = 0; i < count; i++)
    if (same(word, name(static_cast<Enum>(i)))) return i;
  return -1;
}

template <typename Enum>
std::vector<std::string> names(int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count; i++) all.emplace_back(name(static_cast<Enum>(i)));
  return all;
}

// One variable: what its words are, and how a row for one collective is filled from a list of them.
template <typename Enum, int kCount>
struct Grammar {
  const char* variable;
  std::vector<std::string>* ignored;

  Status unknown(std::string_view word, std::string_view text, const std::vector<std::string>& known) const {
    return Status::error(fmt::format("{}=\"{}\": NCCL does not know \"{}\"{}; it knows {}", variable, text, word,
                                     cli::didYouMean(std::string(word), known), fmt::join(known, ", ")));
  }

  // `on[i]` for each word of one list.
  Status fill(std::string_view list, std::string_view text, bool strict, std::array<bool, kCount>& on) const {
    const bool negated = !list.empty() && list.front() == '^';
    if (negated) list.remove_prefix(1);
    on.fill(negated);
    for (std::string_view word : split(list, ',')) {
      const int i = find<Enum>(word, kCount);
      if (i >= 0) on[static_cast<size_t>(i)] = !negated;
      if (i < 0 && strict) return unknown(word, text, names<Enum>(kCount));
      if (i < 0) ignored->push_back(fmt::format("{} in {}", word, variable));
    }
    return {};
  }

  // Calls set(collective, row) for each list in turn.
  template <typename Set>
  Status perCollective(std::string_view text, Set set) const {
    for (std::string_view part : split(text, ';')) {
      const Words halves = split(part, ':');
      if (halves.empty()) continue;
      const bool prefixed = halves.size() > 1;
      if (!prefixed && part.data() != text.data())
        return Status::error(
            fmt::format("{}=\"{}\": \"{}\" needs a collective in front, as in allreduce:{}; only the "
                        "first list may stand without",
                        variable, text, part, part));
      const int only = prefixed ? find<Collective>(halves[0], kNumCollectives) : -1;
      if (prefixed && only < 0) return unknown(halves[0], text, names<Collective>(kNumCollectives));
      std::array<bool, kCount> row;
      if (Status bad = fill(halves[prefixed ? 1 : 0], text, true, row); !bad.ok()) return bad;
      for (int c = 0; c < kNumCollectives; c++)
        if (!prefixed || c == only) set(static_cast<size_t>(c), row);
    }
    return {};
  }

  template <typename Set>
  Status parse(std::string_view text, int version, Set set) const {
    if (text.empty()) return {};
    if (version >= kPerCollectiveSince) return perCollective(text, set);
    std::array<bool, kCount> row;
    Status flat = fill(text, text, false, row);
    for (size_t c = 0; c < kNumCollectives; c++) set(c, row);
    return flat;
  }
};

}  // namespace

EnvFilter::EnvFilter() {
  for (auto& row : algorithms) row.fill(true);
  for (auto& row : protocols) row = {Gate::kOn, Gate::kNcclDecides, Gate::kOn};
}

polyrail::Result<EnvFilter> parseEnvFilter(const std::string& algo, const std::string& proto, int version) {
  EnvFilter filter;
  filter.algorithmText = algo;
  filter.protocolText = proto;
  const Grammar<Algorithm, kNumAlgorithms> algorithms{"NCCL_ALGO", &filter.ignored};
  Status status = algorithms.parse(algo, version, [&](size_t c, const auto& row) { filter.algorithms[c] = row; });
  if (!status.ok()) return status;
  const Grammar<Protocol, kNumProtocols> protocols{"NCCL_PROTO", &filter.ignored};
  status = protocols.parse(proto, version, [&](size_t c, const auto& row) {
    for (size_t p = 0; p < row.size(); p++)
      filter.protocols[c][p] = row[p] ? EnvFilter::Gate::kOn : EnvFilter::Gate::kOff;
  });
  if (!status.ok()) return status;
  return filter;
}

}  // namespace polyrail::nccl
