// SPDX-License-Identifier: Apache-2.0
// `polyrail top`: what the rails of this node carry while jobs run, read from the files that the net plugin keeps.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "cli/output/table.h"
#include "cli/output/write_file.h"
#include "cli/top/frame.h"
#include "cli/top/gather.h"
#include "cli/top/json.h"
#include "cli/top/metrics.h"
#include "cli/top/screen.h"
#include "cli/verbs.h"
#include "common/clock.h"

namespace polyrail::cli {
namespace {

constexpr double kFirstSeconds = 0.25;  // nobody should look at an empty screen for a long interval

struct TopOptions {
  TopSelection selection;
  std::string folder, prometheus;
  double interval = 1;
  bool once = false, json = false, paths = false;

  int64_t intervalNs() const { return static_cast<int64_t>(interval * 1e9); }
};

int64_t nowNs() { return RealClock().nowNs(); }
TopSample look(const TopOptions& o) { return gatherSample(o.folder, nowNs()); }

std::string nothingText(const TopOptions& o, const TopView& view) {
  if (view.hidden) return "no process is selected; without --pid, --rank and --device all are shown";
  return fmt::format(
      "no process shows its rails in {}: jobs with NCCL_NET_PLUGIN=polyrail do, in the folder that their "
      "POLYRAIL_TELEMETRY_DIR names; --folder looks elsewhere, as /proc/PID/root/dev/shm for a container",
      o.folder);
}

std::vector<std::string> frame(const TopOptions& o, const TopView& view, size_t columns) {
  std::vector<std::string> lines = frameOf(view, {columns, wantsColour(stdout)}, o.paths);
  if (view.processes.empty()) lines.insert(lines.begin() + 1, {"", nothingText(o, view)});
  return lines;
}

Status print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return {};
  return Status::error(std::string("cannot write to standard output: ") + std::strerror(errno));
}

int verdict(const TopView& view) {
  const auto good = [](const RailRow& r) { return r.condition == RailCondition::kUp && !r.slow; };
  return !view.processes.empty() && std::all_of(view.rails.begin(), view.rails.end(), good) ? kExitOk : kExitFinding;
}

int once(const TopOptions& o) {
  const TopSample before = look(o);
  std::this_thread::sleep_for(std::chrono::nanoseconds(o.intervalNs()));
  const TopView view = viewOf(before, look(o), o.selection);
  std::string text;
  if (o.json) {
    text = jsonText(topJson(view)) + "\n";
    if (view.processes.empty()) fail("top", nothingText(o, view), kExitFinding);
  } else {
    for (const std::string& line : frame(o, view, 0)) text += line + "\n";
  }
  if (const Status s = print(text); !s.ok()) return fail("top", s.message(), kExitFailure);
  return verdict(view);
}

// For node_exporter, which adds all of a node: what is selected is no matter here.
int keepPrometheus(const TopOptions& o) {
  Screen screen(false);
  for (int64_t next = nowNs();;) {
    if (const Status s = writeFile(o.prometheus, prometheusText(look(o))); !s.ok())
      return fail("top", s.message(), kExitFailure);
    next = std::max(next + o.intervalNs(), nowNs());
    if (o.once || screen.wait(next) == Screen::Wake::kEnd) return kExitOk;
  }
}

int watch(const TopOptions& o) {
  Screen screen(!o.json);
  TopSample before = look(o);
  int64_t next = before.timeNs + std::min(o.intervalNs(), static_cast<int64_t>(kFirstSeconds * 1e9));
  TopView view = viewOf(before, before, o.selection);
  for (;;) {
    const Screen::Wake woken = screen.wait(next);
    if (woken == Screen::Wake::kEnd) return kExitOk;
    if (woken == Screen::Wake::kTime) {
      TopSample now = look(o);
      view = viewOf(before, now, o.selection);
      before = std::move(now);
      next = std::max(next + o.intervalNs(), nowNs());
    }
    const Status shown =
        o.json ? print(jsonLine(topJson(view)) + "\n") : screen.show(frame(o, view, screen.size().columns));
    if (!shown.ok()) return fail("top", shown.message(), kExitFailure);
  }
}

int top(TopOptions& o) {
  if (o.folder.empty()) o.folder = net::telemetryFolder();
  if (!o.prometheus.empty()) return keepPrometheus(o);
  return o.once ? once(o) : watch(o);
}

void addSelection(CLI::App& verb, TopOptions& o) {
  verb.add_option("--pid", o.selection.pids, "processes to show")->delimiter(',')->type_name("LIST");
  verb.add_option("--rank", o.selection.ranks, "ranks to show")->delimiter(',')->type_name("LIST");
  verb.add_option("--device", o.selection.devices, "rails to show, as mlx5_0 or mlx5_0:1")
      ->delimiter(',')
      ->type_name("LIST");
  verb.add_option("--folder", o.folder, "where the files are; without it as POLYRAIL_TELEMETRY_DIR says")
      ->type_name("DIR");
}

}  // namespace

void attachTop(CLI::App& verb, int& exitCode) {
  auto options = std::make_shared<TopOptions>();
  verb.add_flag("--once", options->once, "show one interval and end");
  verb.add_option("--interval", options->interval, "seconds between two looks")
      ->check(CLI::Range(0.05, 86400.0))
      ->capture_default_str()
      ->type_name("S");
  verb.add_flag("--paths", options->paths, "show each path of each comm, too; JSON always does");
  auto* json = verb.add_flag("--json", options->json, "print JSON: with --once one text, else a line each interval");
  verb.add_option("--prometheus", options->prometheus,
                  "write the counters of every process for node_exporter's textfile collector into this file "
                  "(NAME.prom), whole each time, and show nothing")
      ->excludes(json)
      ->type_name("FILE");
  addSelection(verb, *options);
  verb.footer(
      "Rates are of payload. P50 and P99 are of some of the chunks sent meanwhile, from posting to completion,\n"
      "rounded up to a power of two. On a terminal q or ^C ends; elsewhere one block follows the other.\n"
      "Exit status: 0; with --once 1 when there is no process to show, or a rail is not up or slow; 4 when what is\n"
      "shown or kept cannot be written.");
  verb.callback([options, &exitCode] { exitCode = top(*options); });
}

}  // namespace polyrail::cli
