// SPDX-License-Identifier: Apache-2.0
#include "cli/deploy/host_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_set>

namespace polyrail::cli {
namespace {

using Names = std::vector<std::string>;

// At commas, and at line ends of a host file, outside brackets.
Names pieces(std::string_view text) {
  Names out(1);
  bool inside = false;
  for (char c : text) {
    if (c == '[') inside = true;
    if (c == ']') inside = false;
    if (!inside && (c == ',' || c == '\n' || c == ' ' || c == '\t' || c == '\r'))
      out.emplace_back();
    else
      out.back() += c;
  }
  std::erase(out, "");
  return out;
}

bool isName(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
           c == '_' || c == ':';
  };
  return !name.empty() && name[0] != '-' && std::all_of(name.begin(), name.end(), fits);
}

std::optional<uint64_t> number(std::string_view text) {
  uint64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size()) return {};
  return value;
}

// "008-012" or "7" into the texts of its numbers; false when it is neither or too long.
bool expandRange(std::string_view range, Names& out) {
  const size_t dash = range.find('-');
  const std::string_view low = range.substr(0, dash), high = dash == range.npos ? low : range.substr(dash + 1);
  const std::optional<uint64_t> from = number(low), to = number(high);
  if (!from || !to || *to < *from || *to - *from >= kMaxHosts) return false;
  for (uint64_t i = *from; i <= *to; i++) out.push_back(fmt::format("{:0{}}", i, low.size()));
  return true;
}

bool expand(const std::string& piece, Names& out) {
  const size_t open = piece.find('['), close = piece.find(']');
  if (open == piece.npos && close == piece.npos) return out.push_back(piece), true;
  if (open == piece.npos || close == piece.npos || close < open) return false;
  Names numbers;
  for (const std::string& range : pieces(piece.substr(open + 1, close - open - 1)))
    if (!expandRange(range, numbers)) return false;
  for (const std::string& n : numbers) out.push_back(piece.substr(0, open) + n + piece.substr(close + 1));
  return !numbers.empty();
}

}  // namespace

Result<std::vector<std::string>> parseHosts(std::string_view text) {
  Names all, once;
  for (const std::string& piece : pieces(text))
    if (!expand(piece, all) || all.size() > kMaxHosts)
      return Status::error(
          fmt::format("'{}' is no list of at most {} hosts, as n1,n2 and n[001-128] are", piece, kMaxHosts));
  std::unordered_set<std::string> seen;
  for (std::string& host : all) {
    if (!isName(host)) return Status::error(fmt::format("'{}' is no host name", host));
    if (seen.insert(host).second) once.push_back(std::move(host));
  }
  if (once.empty()) return Status::error("no host is named");
  return once;
}

}  // namespace polyrail::cli
