// SPDX-License-Identifier: Apache-2.0
// `polyrail read`: what nccl-tests' output says, as a table, as rows, or as JSON.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/output/table.h"
#include "cli/read/reader.h"
#include "cli/read/rows_tsv.h"
#include "cli/read/run_json.h"
#include "cli/verbs.h"

namespace polyrail::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  bool tsv = false, json = false, rows = false;
};

// The worst of what happened so far decides.
void worsen(int& code, ExitCode to) { code = std::max<int>(code, to); }

// What is left of each name without the folders that all names share.
std::vector<std::string> shortNames(const std::vector<std::string>& files) {
  std::string shared = files[0].substr(0, files[0].rfind('/') + 1);
  for (const std::string& file : files)
    while (!shared.empty() && file.compare(0, shared.size(), shared) != 0)
      shared.erase(shared.find_last_of('/', shared.size() >= 2 ? shared.size() - 2 : 0) + 1);
  std::vector<std::string> names;
  for (const std::string& file : files) names.push_back(file.substr(shared.size()));
  return names;
}

// A line on standard error about how far a long file is; none when that is not a terminal.
class Progress {
 public:
  ReadOptions options(const std::string& name) {
    if (isatty(STDERR_FILENO) != 1) return {};
    return {[this, name](uint64_t bytes) {
      if (bytes - shown_ < kStep && shown_ != 0) return;
      shown_ = bytes;
      if (bytes >= kStep) fmt::print(stderr, "\r{}: {} read\x1b[K", name, humanBytes(bytes)), printed_ = true;
    }};
  }
  void clear() {
    if (printed_) fmt::print(stderr, "\r\x1b[K");
    printed_ = false;
    shown_ = 0;
  }

 private:
  static constexpr uint64_t kStep = 64u << 20;
  uint64_t shown_ = 0;
  bool printed_ = false;
};

// Prints why there is no answer, if there is none.
void judge(const Result<ReadSummary>& summary, const std::string& name, int& code) {
  if (!summary.ok())
    worsen(code, static_cast<ExitCode>(fail("read", summary.message(), kExitBadInput)));
  else if (!summary.value().reason.empty())
    worsen(code,
           static_cast<ExitCode>(fail("read", fmt::format("{}: {}", name, summary.value().reason), kExitFinding)));
}

int printTsv(const Options& options) {
  RowsTsv sink(stdout);
  Progress progress;
  int code = kExitOk;
  const std::vector<std::string> names = shortNames(options.files);
  sink.writeHead();
  for (size_t i = 0; i < names.size(); i++) {
    sink.setFile(names[i]);
    const Result<ReadSummary> summary = readRuns(options.files[i], sink, progress.options(names[i]));
    progress.clear();
    judge(summary, options.files[i], code);
  }
  if (!sink.flush()) return fail("read", "cannot write to standard output", kExitFailure);
  if (sink.gluedRows() > 0)
    fmt::print(
        stderr,
        "polyrail read: in {} rows a host name that begins with digits is glued to a #wrong column; --tsv shows "
        "the file's characters, --json the values\n",
        sink.gluedRows());
  return code;
}

int printJson(const Options& options) {
  int code = kExitOk;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::string& file : options.files) {
    nlohmann::ordered_json one = {{"file", file}};
    const Result<CollectedRuns> read = collectRuns(file);
    if (!read.ok()) {
      one["error"] = read.message();
      worsen(code, kExitBadInput);
    } else {
      const ReadSummary& summary = read.value().summary;
      one["bytes"] = summary.bytes;
      one["lines"] = summary.lines;
      if (!summary.reason.empty()) one["reason"] = summary.reason, worsen(code, kExitFinding);
      one["runs"] = nlohmann::ordered_json::array();
      for (const Run& run : read.value().runs) one["runs"].push_back(runAsJson(run));
    }
    all.push_back(std::move(one));
  }
  fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  return code;
}

std::string orDash(const std::string& text) { return text.empty() ? "-" : text; }
std::string orDash(const std::optional<uint64_t>& number) { return number ? std::to_string(*number) : "-"; }

std::string forcedText(const Forced& forced) {
  std::string text = forced.algorithm;
  if (!forced.protocol.empty()) text += (text.empty() ? "" : "/") + forced.protocol;
  const auto low = forced.minChannels, high = forced.maxChannels;
  if (low || high)
    text += fmt::format(" {}..{} ch", low ? std::to_string(*low) : "", high ? std::to_string(*high) : "");
  return orDash(text);
}

std::string sizes(const Run& run) {
  if (run.rows.empty()) return "-";
  const auto bySize = [](const Row& a, const Row& b) { return a.sizeBytes < b.sizeBytes; };
  const auto [low, high] = std::minmax_element(run.rows.begin(), run.rows.end(), bySize);
  return fmt::format("{} .. {}", humanBytes(low->sizeBytes), humanBytes(high->sizeBytes));
}

std::string logContents(const Run& run) {
  std::string text;
  if (run.costTable) text += "costs ";
  if (!run.choices.empty()) text += fmt::format("{} choices ", run.choices.size());
  if (!run.tunerPlugin.empty()) text += fmt::format("tuner {} ", run.tunerPlugin);
  return text.empty() ? "-" : text.substr(0, text.size() - 1);
}

// What the log says NCCL chose for the size; the last choice counts, a run may change its mind after warm-up.
std::string choiceFor(const Run& run, const Row& row) {
  std::string text = "-";
  for (const LoggedChoice& c : run.choices)
    if (c.totalBytes == row.sizeBytes && (!run.collective || c.collective == *run.collective)) {
      text = fmt::format("{}/{}", nccl::name(c.algorithm), nccl::name(c.protocol));
      if (c.channels) text += fmt::format(" {} ch", *c.channels);
    }
  return text;
}

void printRows(const Run& run) {
  Table table({{"  SIZE", Align::kRight},
               {"TYPE"},
               {"OP"},
               {"TIME", Align::kRight},
               {"IN PLACE", Align::kRight},
               {"BUSBW", Align::kRight},
               {"WRONG", Align::kRight},
               {"CHOICE"}});
  for (const Row& r : run.rows) {
    const auto time = [](const std::optional<Placement>& p) { return p ? humanTime(p->timeUs) : std::string("-"); };
    const double bus = std::max(r.outOfPlace ? r.outOfPlace->busBw : 0, r.inPlace ? r.inPlace->busBw : 0);
    const double wrong =
        (r.outOfPlace ? r.outOfPlace->wrong.value_or(0) : 0) + (r.inPlace ? r.inPlace->wrong.value_or(0) : 0);
    table.add({humanBytes(r.sizeBytes), r.type, orDash(r.redop), time(r.outOfPlace), time(r.inPlace),
               fmt::format("{:.2f} GB/s", bus),
               Cell(fmt::format("{:g}", wrong), wrong > 0.5 ? Tone::kBad : Tone::kPlain), choiceFor(run, r)});
  }
  table.print(stdout, wantsColour(stdout));
}

void addRun(Table& table, const std::string& name, const Run& run) {
  const std::string test = run.collective ? std::string(nccl::name(*run.collective)) : orDash(run.collectiveText);
  table.add({run.line > 0 ? fmt::format("{}:{}", name, run.line) : name, test, orDash(run.ranks), orDash(run.nodes),
             orDash(run.ncclVersion), forcedText(run.forced), std::to_string(run.rows.size()), sizes(run),
             logContents(run)});
}

Table runTable() {
  return Table({{"FILE"},
                {"TEST"},
                {"RANKS", Align::kRight},
                {"NODES", Align::kRight},
                {"NCCL"},
                {"FORCED"},
                {"ROWS", Align::kRight},
                {"SIZES"},
                {"LOG"}});
}

int printHuman(const Options& options) {
  int code = kExitOk;
  const std::vector<std::string> names = shortNames(options.files);
  Table table = runTable();
  std::vector<std::string> notes;
  std::vector<Run> runs;
  for (size_t i = 0; i < names.size(); i++) {
    Result<CollectedRuns> read = collectRuns(options.files[i]);
    judge(read.ok() ? Result<ReadSummary>(read.value().summary) : Result<ReadSummary>(read.status()),
          options.files[i], code);
    if (!read.ok()) continue;
    for (Run& run : read.value().runs) {
      addRun(table, names[i], run);
      for (const std::string& problem : run.problems)
        notes.push_back(fmt::format("{}:{}: {}", names[i], run.line, problem));
      if (options.rows) runs.push_back(std::move(run));
    }
  }
  if (!table.empty()) table.print(stdout, wantsColour(stdout));
  for (const Run& run : runs) {
    fmt::print("\n{}:{} {}\n", run.file, run.line, orDash(run.collectiveText));
    printRows(run);
  }
  if (!notes.empty()) fmt::print("\nNot in the file, or inferred:\n");
  for (const std::string& note : notes) fmt::print("  {}\n", note);
  return code;
}

}  // namespace

void attachRead(CLI::App& verb, int& exitCode) {
  auto options = std::make_shared<Options>();
  verb.add_option("FILE", options->files, "nccl-tests output: text of any version, or JSON; - is standard input")
      ->required();
  auto* tsv = verb.add_flag("--tsv", options->tsv, "print every row, fields as the file spells them, tab-separated");
  verb.add_flag("--json", options->json, "print everything that was recovered as JSON")->excludes(tsv);
  verb.add_flag("--rows", options->rows, "show each run's rows, with what NCCL chose where the log says it");
  verb.footer(
      "Columns of --tsv: file line coll_header nccl size count type redop root, then time, algbw, busbw and #wrong\n"
      "out-of-place and in-place. They are the file's own characters: old Broadcast tables have their root in "
      "redop,\n"
      "and a log line of a host whose name begins with digits may leave some of them at the end of #wrong (a note\n"
      "says so). --json has the values.\n"
      "Exit codes: 0 every file has rows, 1 a file has none (the reason is printed), 3 a file cannot be read.");
  verb.callback([options, &exitCode] {
    exitCode = options->tsv ? printTsv(*options) : options->json ? printJson(*options) : printHuman(*options);
  });
}

}  // namespace polyrail::cli
