// SPDX-License-Identifier: Apache-2.0
#include "cli/top/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "cli/output/table.h"

namespace polyrail::cli {
namespace {

constexpr int kAlways = 9;

template <typename Row>
struct FrameColumn {
  const char* title;
  Align align;
  int weight;  // the lightest go first
  Cell (*cell)(const Row&);
};

std::string count(uint64_t n) { return n ? std::to_string(n) : "-"; }
std::string bytes(uint64_t n) { return n ? humanBytes(n) : "-"; }
std::string time(int64_t ns) { return ns > 0 ? humanTime(static_cast<double>(ns) * 1e-3) : "-"; }
std::string known(int rank) { return rank < 0 ? "?" : std::to_string(rank); }
Cell badCount(uint64_t n) { return {count(n), n ? Tone::kBad : Tone::kPlain}; }

Cell stateCell(const RailRow& r) {
  const std::string name = conditionName(r.condition);
  if (r.condition != RailCondition::kUp) return {name, Tone::kBad};
  return r.slow ? Cell(name + ", slow", Tone::kBad) : Cell(name, Tone::kGood);
}

constexpr FrameColumn<RailRow> kRails[] = {
    {"RAIL", Align::kLeft, kAlways, [](const RailRow& r) { return Cell(r.name); }},
    {"STATE", Align::kLeft, kAlways, stateCell},
    {"SENT Gb/s", Align::kRight, kAlways, [](const RailRow& r) { return Cell(gigabits(r.sentPerSecond)); }},
    {"RECEIVED Gb/s", Align::kRight, 8, [](const RailRow& r) { return Cell(gigabits(r.receivedPerSecond)); }},
    {"SHARE", Align::kRight, 4, [](const RailRow& r) { return Cell(fmt::format("{:.1f} %", r.share * 100)); }},
    {"P50", Align::kRight, 5, [](const RailRow& r) { return Cell(time(r.p50Ns)); }},
    {"P99", Align::kRight, 6, [](const RailRow& r) { return Cell(time(r.p99Ns)); }},
    {"FAILURES", Align::kRight, 7, [](const RailRow& r) { return badCount(r.failures); }},
    {"REVIVED", Align::kRight, 3, [](const RailRow& r) { return Cell(count(r.revivals)); }},
    {"SENT", Align::kRight, 2, [](const RailRow& r) { return Cell(bytes(r.bytesSent)); }},
    {"RECEIVED", Align::kRight, 2, [](const RailRow& r) { return Cell(bytes(r.bytesReceived)); }},
    {"PROCESSES", Align::kRight, 1, [](const RailRow& r) { return Cell(std::to_string(r.processes)); }},
};

Cell railsUpCell(const ProcessRow& p) {
  return {fmt::format("{}/{}", p.railsUp, p.rails), p.railsUp < p.rails ? Tone::kBad : Tone::kPlain};
}

constexpr FrameColumn<ProcessRow> kProcesses[] = {
    {"RANK", Align::kRight, kAlways, [](const ProcessRow& p) { return Cell(known(p.rank)); }},
    {"PID", Align::kRight, kAlways, [](const ProcessRow& p) { return Cell(std::to_string(p.pid)); }},
    {"RAILS UP", Align::kRight, 8, railsUpCell},
    {"SENT Gb/s", Align::kRight, 7, [](const ProcessRow& p) { return Cell(gigabits(p.sentPerSecond)); }},
    {"RECEIVED Gb/s", Align::kRight, 6, [](const ProcessRow& p) { return Cell(gigabits(p.receivedPerSecond)); }},
    {"FAILURES", Align::kRight, 5, [](const ProcessRow& p) { return badCount(p.failures); }},
    {"COMMS", Align::kRight, 3, [](const ProcessRow& p) { return Cell(count(p.comms)); }},
    {"SENT", Align::kRight, 2, [](const ProcessRow& p) { return Cell(bytes(p.bytesSent)); }},
    {"RECEIVED", Align::kRight, 2, [](const ProcessRow& p) { return Cell(bytes(p.bytesReceived)); }},
    {"COMMAND", Align::kLeft, 4, [](const ProcessRow& p) { return Cell(p.command); }},
};

Cell phaseCell(const PathRow& p) { return {p.path.phase, p.path.phase == "live" ? Tone::kGood : Tone::kBad}; }

constexpr FrameColumn<PathRow> kPaths[] = {
    {"RANK", Align::kRight, 6, [](const PathRow& p) { return Cell(known(p.rank)); }},
    {"PID", Align::kRight, kAlways, [](const PathRow& p) { return Cell(std::to_string(p.pid)); }},
    {"COMM", Align::kRight, kAlways, [](const PathRow& p) { return Cell(std::to_string(p.path.comm)); }},
    {"PATH", Align::kRight, kAlways, [](const PathRow& p) { return Cell(std::to_string(p.path.index)); }},
    {"WAY", Align::kLeft, 5, [](const PathRow& p) { return Cell(p.path.sends ? "send" : "receive"); }},
    {"RAIL", Align::kLeft, kAlways, [](const PathRow& p) { return Cell(p.path.rail); }},
    {"PEER", Align::kLeft, 3, [](const PathRow& p) { return Cell(p.path.peer); }},
    {"PEER RAIL", Align::kLeft, 4, [](const PathRow& p) { return Cell(p.path.peerRail); }},
    {"PHASE", Align::kLeft, kAlways, phaseCell},
    {"Gb/s", Align::kRight, 8, [](const PathRow& p) { return Cell(gigabits(p.bytesPerSecond)); }},
    {"LOADED Gb/s", Align::kRight, 2, [](const PathRow& p) { return Cell(gigabits(double(p.path.rate))); }},
    {"P50", Align::kRight, 2, [](const PathRow& p) { return Cell(time(p.p50Ns)); }},
    {"P99", Align::kRight, 4, [](const PathRow& p) { return Cell(time(p.p99Ns)); }},
    {"FAILURES", Align::kRight, 7, [](const PathRow& p) { return badCount(p.path.failures); }},
    {"IN FLIGHT", Align::kRight, 1, [](const PathRow& p) { return Cell(bytes(p.path.inFlight)); }},
    {"BYTES", Align::kRight, 1, [](const PathRow& p) { return Cell(bytes(p.path.bytes)); }},
};

// The columns that weigh so much at least.
template <typename Row>
Table tableOf(std::span<const FrameColumn<Row>> columns, const std::vector<Row>& rows, int least) {
  std::vector<Column> titles;
  for (const auto& c : columns)
    if (c.weight >= least) titles.push_back({c.title, c.align});
  Table table(std::move(titles));
  for (const Row& row : rows) {
    std::vector<Cell> cells;
    for (const auto& c : columns)
      if (c.weight >= least) cells.push_back(c.cell(row));
    table.add(std::move(cells));
  }
  return table;
}

bool fits(const Table& table, size_t columns) {
  const std::vector<std::string> lines = table.lines(false);
  return std::all_of(lines.begin(), lines.end(), [&](const std::string& l) { return columnsOf(l) <= columns; });
}

template <typename Row, size_t n>
std::vector<std::string> linesOf(const FrameColumn<Row> (&columns)[n], const std::vector<Row>& rows,
                                 const FrameStyle& style) {
  if (rows.empty()) return {};
  const std::span<const FrameColumn<Row>> all(columns);
  int least = 1;
  while (style.columns && least < kAlways && !fits(tableOf(all, rows, least), style.columns)) least++;
  return tableOf(all, rows, least).lines(style.colour);
}

}  // namespace

std::vector<std::string> railLines(const std::vector<RailRow>& rows, const FrameStyle& style) {
  return linesOf(kRails, rows, style);
}

std::vector<std::string> processLines(const std::vector<ProcessRow>& rows, const FrameStyle& style) {
  return linesOf(kProcesses, rows, style);
}

std::vector<std::string> pathLines(const std::vector<PathRow>& rows, const FrameStyle& style) {
  return linesOf(kPaths, rows, style);
}

std::string gigabits(double bytesPerSecond) {
  const double gbit = bytesPerSecond * 8e-9;
  if (gbit < 0.005) return gbit > 0 ? "<0.01" : "-";
  return gbit < 99.995 ? fmt::format("{:.2f}", gbit) : fmt::format("{:.0f}", gbit);
}

}  // namespace polyrail::cli
