// SPDX-License-Identifier: Apache-2.0
#include "cli/csv/row.h"

#include <fmt/format.h>

#include <charconv>

#include "common/policy/json_tree.h"

namespace polyrail {
namespace {

constexpr size_t kFewestFields = 8, kMostFields = 10;
constexpr int64_t kAny = -1;
constexpr uint64_t kMostRanks = 1'000'000;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> fields(std::string_view text) {
  std::vector<std::string_view> out;
  for (;;) {
    const size_t comma = text.find(',');
    out.push_back(trimmed(text.substr(0, comma)));
    if (comma == text.npos) return out;
    text.remove_prefix(comma + 1);
  }
}

// The example tuner's names have an underscore: "nvls_tree".
std::string csvName(nccl::Algorithm a) {
  constexpr const char* kNames[] = {"tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
  return kNames[static_cast<size_t>(a)];
}

// Reads the fields of one row; after the first that is wrong the rest does not matter.
class RowReader {
 public:
  explicit RowReader(std::vector<std::string_view> fields) : fields_(std::move(fields)) {}

  const std::string& problem() const { return problem_; }
  void fail(const std::string& why) {
    if (problem_.empty()) problem_ = why;
  }

  template <typename Enum>
  Enum word(size_t at, const char* what, std::optional<Enum> (*parse)(std::string_view)) {
    const std::optional<Enum> value = parse(fields_[at]);
    if (!value) fail(fmt::format("{} is no {}", quoted(fields_[at]), what));
    return value.value_or(Enum{});
  }

  template <typename Number>
  Number number(size_t at, const char* what, Number absent = {}) {
    if (at >= fields_.size()) return absent;
    Number value = absent;
    const char* end = fields_[at].data() + fields_[at].size();
    const auto [rest, error] = std::from_chars(fields_[at].data(), end, value);
    if (error != std::errc() || rest != end) fail(fmt::format("{} {} is no whole number", what, quoted(fields_[at])));
    return value;
  }

  // -1 for any.
  std::optional<uint64_t> count(size_t at, const char* what, uint64_t least) {
    const int64_t value = number<int64_t>(at, what, kAny);
    if (value == kAny) return std::nullopt;
    if (value < 0 || static_cast<uint64_t>(value) < least)
      fail(fmt::format("{} {} matches nothing; -1 is any", what, value));
    return static_cast<uint64_t>(value);
  }

 private:
  std::vector<std::string_view> fields_;
  std::string problem_;
};

std::optional<int> channels(RowReader& in, size_t line, Remarks& remarks) {
  const int64_t wanted = in.number<int64_t>(5, "channels");
  if (!in.problem().empty() || wanted == kAny || wanted == 0) return std::nullopt;
  if (wanted >= 1 && wanted <= nccl::kMaxChannels) return static_cast<int>(wanted);
  const bool tooMany = wanted > nccl::kMaxChannels;
  remarks.push_back({line, fmt::format("{} channels: NCCL has 1 to 64; {}", wanted,
                                       tooMany ? "64 taken" : "NCCL's own number taken")});
  return tooMany ? std::optional<int>(nccl::kMaxChannels) : std::nullopt;
}

std::optional<bool> regBuff(RowReader& in) {
  const std::optional<uint64_t> value = in.count(9, "regBuff", 0);
  if (!value) return std::nullopt;
  if (*value > 1) in.fail(fmt::format("regBuff {} matches nothing; 0, 1 or -1", *value));
  return *value == 1;
}

// What would never decide anything.
void checkRow(const CsvRow& row, RowReader& in) {
  if (row.min > row.max) in.fail(fmt::format("min {} is above max {}", row.min, row.max));
  if (!hasKernel(row.collective, row.choice.algorithm, row.choice.protocol))
    in.fail(fmt::format("NCCL has no kernel for {} with {}/{}", name(row.collective), name(row.choice.algorithm),
                        name(row.choice.protocol)));
  if (row.nodes && row.ranks && *row.ranks % *row.nodes != 0)
    in.fail(fmt::format("{} ranks on {} nodes are uneven; no policy holds there", *row.ranks, *row.nodes));
  if (row.ranks.value_or(1) > kMostRanks || row.nodes.value_or(1) > kMostRanks) in.fail("more than 1000000 ranks");
}

bool isHeading(std::string_view first) { return first.starts_with("coll"); }

}  // namespace

std::optional<CsvRow> parseCsvRow(std::string_view text, size_t line, Remarks& remarks) {
  if (const std::string_view content = trimmed(text); content.empty() || content[0] == '#') return std::nullopt;
  const std::vector<std::string_view> all = fields(text);
  if (isHeading(all[0])) return std::nullopt;
  if (all.size() < kFewestFields || all.size() > kMostFields) {
    remarks.push_back({line, fmt::format("{} fields; a row has 8 to 10", all.size())});
    return std::nullopt;
  }
  RowReader in(all);
  CsvRow row;
  row.line = line;
  row.collective = in.word<nccl::Collective>(0, "collective", nccl::parseCollective);
  row.min = in.number<uint64_t>(1, "min");
  row.max = in.number<uint64_t>(2, "max");
  row.choice.algorithm = in.word<nccl::Algorithm>(3, "algorithm", nccl::parseAlgorithm);
  row.choice.protocol = in.word<nccl::Protocol>(4, "protocol", nccl::parseProtocol);
  row.choice.channels = channels(in, line, remarks);
  row.nodes = in.count(6, "nNodes", 1);
  row.ranks = in.count(7, "nRanks", 1);
  row.pipeOps = in.count(8, "numPipeOps", 0);
  row.regBuff = regBuff(in);
  if (in.problem().empty()) checkRow(row, in);
  if (in.problem().empty()) return row;
  remarks.push_back({line, in.problem()});
  return std::nullopt;
}

std::string toCsv(const CsvRow& row) {
  const auto orAny = [](const std::optional<uint64_t>& v) { return v ? fmt::format("{}", *v) : std::string("-1"); };
  std::string text =
      fmt::format("{},{},{},{},{},{},{},{}", name(row.collective), row.min, row.max, csvName(row.choice.algorithm),
                  name(row.choice.protocol), row.choice.channels.value_or(-1), orAny(row.nodes), orAny(row.ranks));
  if (row.pipeOps || row.regBuff) text += "," + orAny(row.pipeOps);
  if (row.regBuff) text += *row.regBuff ? ",1" : ",0";
  return text;
}

}  // namespace polyrail
