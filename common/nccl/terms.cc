// SPDX-License-Identifier: Apache-2.0
#include "common/nccl/terms.h"

#include <array>
#include <string>

namespace polyrail::nccl {
namespace {

constexpr std::array<std::string_view, kNumCollectives> kCollectives = {"broadcast", "reduce", "allgather",
                                                                        "reducescatter", "allreduce"};
constexpr std::array<std::string_view, kNumAlgorithms> kAlgorithms = {
    "tree", "ring", "collnetdirect", "collnetchain", "nvls", "nvlstree", "pat"};
constexpr std::array<std::string_view, kNumProtocols> kProtocols = {"ll", "ll128", "simple"};

bool isSeparator(char c) { return c == '_' || c == '-' || c == '/' || c == ' '; }
// Not tolower(): that one follows the locale of the process.
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Longest name is "collnetdirect"; anything that does not fit is no name.
std::string_view normalise(std::string_view text, std::array<char, 24>& buffer) {
  constexpr std::string_view kSuffix = "_perf";
  if (text.size() > kSuffix.size() && text.substr(text.size() - kSuffix.size()) == kSuffix)
    text.remove_suffix(kSuffix.size());
  size_t n = 0;
  for (char c : text) {
    if (isSeparator(c)) continue;
    if (n == buffer.size()) return {};
    buffer[n++] = lower(c);
  }
  return {buffer.data(), n};
}

template <typename Enum, size_t N>
std::optional<Enum> parse(std::string_view text, const std::array<std::string_view, N>& names) {
  std::array<char, 24> buffer;
  const std::string_view wanted = normalise(text, buffer);
  for (size_t i = 0; i < N; i++)
    if (names[i] == wanted) return static_cast<Enum>(i);
  return std::nullopt;
}

}  // namespace

std::string_view name(Collective c) { return kCollectives[static_cast<size_t>(c)]; }
std::string_view name(Algorithm a) { return kAlgorithms[static_cast<size_t>(a)]; }
std::string_view name(Protocol p) { return kProtocols[static_cast<size_t>(p)]; }

std::optional<Collective> parseCollective(std::string_view text) { return parse<Collective>(text, kCollectives); }
std::optional<Algorithm> parseAlgorithm(std::string_view text) { return parse<Algorithm>(text, kAlgorithms); }
std::optional<Protocol> parseProtocol(std::string_view text) { return parse<Protocol>(text, kProtocols); }

bool hasKernel(Collective c, Algorithm a, Protocol p) {
  if (a == Algorithm::kRing) return true;
  if (c == Collective::kBroadcast || c == Collective::kReduce) return false;
  if (c == Collective::kAllReduce) return a == Algorithm::kTree || (a != Algorithm::kPat && p == Protocol::kSimple);
  const bool gatherAlgorithm = a == Algorithm::kCollNetDirect || a == Algorithm::kNvls || a == Algorithm::kPat;
  return gatherAlgorithm && p == Protocol::kSimple;
}

}  // namespace polyrail::nccl
