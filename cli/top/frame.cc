// SPDX-License-Identifier: Apache-2.0
#include "cli/top/frame.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/output/units.h"
#include "net/telemetry/names.h"

namespace polyrail::cli {
namespace {

using Lines = std::vector<std::string>;

std::string several(size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

// Anybody may name a file as processes name theirs.
std::string printable(const std::string& path) { return net::textIn(path.data(), path.size()); }

std::string summary(const TopView& view) {
  double sent = 0, received = 0;
  size_t up = 0;
  for (const RailRow& r : view.rails) {
    sent += r.sentPerSecond, received += r.receivedPerSecond;
    up += r.condition == RailCondition::kUp;
  }
  const auto rate = [](double bytes) { return bytes > 0 ? gigabits(bytes) : "0"; };
  return fmt::format("{}, {} of {} up, {} Gb/s sent, {} Gb/s received, over {}",
                     several(view.processes.size(), "process", "processes"), up,
                     several(view.rails.size(), "rail", "rails"), rate(sent), rate(received),
                     humanTime(view.seconds * 1e6));
}

std::string slowNote(const RailRow& r) {
  return fmt::format("{}: slower than its siblings: {} Gb/s while loaded", r.name,
                     gigabits(static_cast<double>(r.serviceRate)));
}

std::string failureNote(const RailRow& r, int64_t nowNs) {
  return fmt::format("{}: {}, last {} ago: {}", r.name, several(r.failures, "failure", "failures"),
                     humanTime(static_cast<double>(nowNs - r.lastFailureNs) * 1e-3), r.lastCause);
}

Lines notes(const TopView& view) {
  Lines lines;
  for (const RailRow& r : view.rails) {
    if (r.slow) lines.push_back(slowNote(r));
    if (!r.lastCause.empty()) lines.push_back(failureNote(r, view.timeNs));
  }
  for (const std::string& why : view.unreadable) lines.push_back(printable(why));
  if (!view.ended.empty())
    lines.push_back(fmt::format("{} left by processes that have ended: {}",
                                several(view.ended.size(), "file was", "files were"),
                                printable(fmt::format("{}", fmt::join(view.ended, " ")))));
  if (view.hidden) lines.push_back(several(view.hidden, "process is", "processes are") + " not selected");
  return lines;
}

// Apart from what is above by an empty line.
void append(const Lines& more, Lines* lines) {
  if (more.empty()) return;
  lines->emplace_back();
  lines->insert(lines->end(), more.begin(), more.end());
}

}  // namespace

Lines frameOf(const TopView& view, const FrameStyle& style, bool paths) {
  Lines lines = {summary(view)};
  append(railLines(view.rails, style), &lines);
  append(processLines(view.processes, style), &lines);
  if (paths) append(pathLines(view.paths, style), &lines);
  append(notes(view), &lines);
  return lines;
}

}  // namespace polyrail::cli
