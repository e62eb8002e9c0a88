// SPDX-License-Identifier: Apache-2.0
#include "cli/read/cost_lines.h"

#include "cli/read/number.h"
#include "cli/read/words.h"

namespace polyrail::read {
namespace {

// The next "... |" of the line, trimmed; false when there is none.
bool nextCell(std::string_view& line, std::string_view& cell) {
  const size_t bar = line.find('|');
  if (bar == std::string_view::npos) return false;
  cell = trim(line.substr(0, bar));
  line.remove_prefix(bar + 1);
  return true;
}

bool parseCost(std::string_view cell, double* latency, double* bandwidth) {
  const char* const end = cell.data() + cell.size();
  const char* p = scanNumber(cell.data(), end, latency);
  if (p == nullptr || p == end || *p != '/') return false;
  for (p++; p < end && isSpace(*p);) p++;
  return scanNumber(p, end, bandwidth) == end;
}

}  // namespace

bool CostTableReader::take(std::string_view message) {
  return contains(message, "|") && (takeHead(message) || takeCells(message));
}

bool CostTableReader::takeHead(std::string_view message) {
  std::string_view title, cell;
  if (!nextCell(message, title)) return false;
  if (title == "Max NThreads" || title == "Protocol") return true;
  const bool oneBlock = title == "Latency/AlgBw";
  if (title != "Algorithm" && !oneBlock) return false;
  columns_.clear();
  while (nextCell(message, cell) && columns_.size() < 64) {
    if (oneBlock) {
      const size_t slash = std::min(cell.find('/'), cell.size());
      const std::string_view protocol = cell.substr(std::min(slash + 1, cell.size()));
      columns_.push_back({nccl::parseAlgorithm(trim(cell.substr(0, slash))), nccl::parseProtocol(trim(protocol))});
    } else {
      for (int p = 0; p < nccl::kNumProtocols; p++)
        columns_.push_back({nccl::parseAlgorithm(cell), static_cast<nccl::Protocol>(p)});
    }
  }
  return true;
}

bool CostTableReader::takeCells(std::string_view message) {
  std::string_view title, cell;
  if (columns_.empty() || !nextCell(message, title)) return false;
  const std::optional<nccl::Collective> collective = nccl::parseCollective(title);
  if (!collective) return false;
  for (size_t i = 0; i < columns_.size() && nextCell(message, cell); i++) {
    const Column& column = columns_[i];
    double latency = 0, bandwidth = 0;
    if (!column.algorithm || !column.protocol || !parseCost(cell, &latency, &bandwidth)) continue;
    const auto c = static_cast<size_t>(*collective), a = static_cast<size_t>(*column.algorithm);
    const auto p = static_cast<size_t>(*column.protocol);
    table_.latencyUs[c][a][p] = latency;
    table_.bandwidthGBs[c][a][p] = bandwidth;
    cells_++;
  }
  return true;
}

std::optional<CostModel> CostTableReader::table() const {
  return found() ? std::optional<CostModel>(table_) : std::nullopt;
}

}  // namespace polyrail::read
