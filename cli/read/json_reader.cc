// SPDX-License-Identifier: Apache-2.0
#include "cli/read/json_reader.h"

#include <fmt/format.h>

#include "cli/read/failures.h"
#include "cli/read/json_paths.h"
#include "cli/read/log_messages.h"
#include "cli/read/number.h"
#include "cli/read/words.h"

namespace polyrail::read {
namespace {

constexpr std::string_view kResults = ".results[]", kBenchmark = ".benchmark[].";

class Runs : public JsonEvents {
 public:
  Runs(RunFacts base, RunSink& sink) : base_(std::move(base)), sink_(sink) {}

  void onOpen(const std::string& path) override {
    if (path.empty()) beginRun();
    if (isRow(path)) beginRow(path);
  }
  void onClose(const std::string& path) override {
    if (isRow(path)) endRow();
    if (path.empty()) endRun();
  }
  void onListEnd(const std::string& path) override {
    if (path == ".config.devices[]") concludeDevices();
  }
  void onScalar(const std::string& path, const JsonScalar& value) override;
  // The text has stopped being JSON; reports what is whole of the run at hand.
  void cut(const std::string& problem);

  JsonSummary summary;

 private:
  static bool isRow(const std::string& path) {
    return path == kResults ||
           (startsWith(path, kBenchmark) && path.find('.', kBenchmark.size()) == std::string::npos);
  }
  void beginRun();
  void endRun();
  void beginRow(const std::string& path);
  void endRow();
  void document(std::string_view member, const JsonScalar& value);
  void config(std::string_view member, const JsonScalar& value);
  void device(std::string_view member, const JsonScalar& value);
  void variable(std::string_view assignment);
  void concludeDevices();

  RunFacts base_, facts_;
  RunSink& sink_;
  JsonRow row_;
  size_t rowPath_ = 0;  // length of the row's path and its '.'; 0: no row is open
  bool inRun_ = false, ours_ = false;
  uint64_t arguments_ = 0;
};

void Runs::beginRun() {
  facts_ = base_;
  facts_.run.line = 0;
  inRun_ = true;
  ours_ = false;
  arguments_ = 0;
}

void Runs::beginRow(const std::string& path) {
  row_.clear();
  if (path.size() > kBenchmark.size()) row_.setSize(std::string_view(path).substr(kBenchmark.size()));
  rowPath_ = path.size() + 1;
  ours_ = true;
}

void Runs::endRow() {
  if (rowPath_ == 0) return;
  rowPath_ = 0;
  if (!row_.whole()) {
    facts_.lostRows++;
    return;
  }
  RowText text = row_.text();
  text.testName = facts_.testName;
  text.ncclVersion = facts_.run.ncclVersion;
  facts_.rows++;
  summary.rows++;
  facts_.shape.add(row_.row(), text);
  sink_.onRow(facts_.run, row_.row(), text);
}

void Runs::endRun() {
  if (!inRun_) return;
  inRun_ = false;
  if (!ours_) return;
  conclude(facts_);
  summary.runs++;
  sink_.onRunEnd(std::move(facts_.run));
}

void Runs::cut(const std::string& problem) {
  if (!inRun_) return;
  facts_.failure = problem;
  facts_.run.complete = false;
  if (rowPath_ > 0) facts_.lostRows++;  // its last number may have lost digits
  rowPath_ = 0;
  endRun();
}

void Runs::onScalar(const std::string& path, const JsonScalar& value) {
  std::string_view member = path;
  if (rowPath_ > 0 && path.size() > rowPath_) return row_.set(member.substr(rowPath_), value);
  if (skip(member, ".config.devices[].")) return device(member, value);
  if (skip(member, ".config.")) return config(member, value);
  if (skip(member, ".")) document(member, value);
}

// Values of other variables than those that steer NCCL are not looked at.
void Runs::variable(std::string_view assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || !startsWith(assignment, "NCCL_")) return;
  takeVariable(facts_.run.forced, assignment.substr(0, equals), assignment.substr(equals + 1));
}

void Runs::document(std::string_view member, const JsonScalar& value) {
  const bool number = value.kind == JsonScalar::Kind::kNumber;
  if (member == "env[]") return variable(value.text);
  if (member == "args[]" && arguments_++ == 0) {
    facts_.run.collectiveText = baseName(value.text);
    const std::string test = testOfProgram(value.text);
    facts_.testName = test.empty() ? facts_.run.collectiveText : test;
  }
  if (member == "start_time") facts_.run.startTime = value.text.substr(0, 64);
  if (member == "nccl_version" && number) facts_.libraryCode = static_cast<uint64_t>(value.number);
  if (member == "nccl_version" || member == "identifier") ours_ = true;
  if (member == "version" && !number) facts_.versionLine = dottedVersion(value.text);
  if (member == "out_of_bounds.count" || member == "out_of_bounds_value")
    facts_.outOfBounds = number && value.number >= 0 ? static_cast<uint64_t>(value.number) : 0;
  if (member == "average_bus_bandwidth.bandwidth" || member == "avg_bus_bw") facts_.run.complete = true;
  if (member == "errors[]" && facts_.failure.empty()) facts_.failure = shortened(value.text);
}

void Runs::config(std::string_view member, const JsonScalar& value) {
  if (value.kind != JsonScalar::Kind::kNumber || value.number < 0 || value.number > INT32_MAX) return;
  TestSettings& settings = facts_.run.settings;
  const int number = static_cast<int>(value.number);
  if (member == "nthreads") settings.threads = number;
  if (member == "ngpus") settings.gpusPerThread = number;
  if (member == "warmup_iters") settings.warmupIterations = number;
  if (member == "iterations") settings.iterations = number;
  if (member == "aggregated_iterations") settings.aggregated = number;
  if (member == "validation") settings.validation = number;
  if (member == "graph") settings.graph = number;
}

void Runs::device(std::string_view member, const JsonScalar& value) {
  DeviceList& devices = facts_.devices;
  if (member == "group") {
    const auto group = static_cast<uint64_t>(value.number);
    if (!devices.firstGroup) devices.firstGroup = group;
    devices.inFirstGroup += group == *devices.firstGroup;
  }
  // A group other than the first has its hosts counted, too: they are the same nodes.
  if (member == "hostname") devices.hosts.insert(std::hash<std::string_view>()(value.text));
  if (member == "device_info") {
    if (facts_.run.gpu.empty()) facts_.run.gpu = trim(value.text);
    devices.mixedGpus |= facts_.run.gpu != trim(value.text);
  }
}

// The list has one entry a process, which drives threads x GPUs ranks (parseRankInfo in src/util.cu reads one line).
void Runs::concludeDevices() {
  const TestSettings& settings = facts_.run.settings;
  if (!settings.threads || !settings.gpusPerThread) return;
  DeviceList& devices = facts_.devices;
  devices.inFirstGroup *= static_cast<uint64_t>(*settings.threads) * static_cast<uint64_t>(*settings.gpusPerThread);
  devices.lines = devices.ranks = devices.inFirstGroup;
}

}  // namespace

JsonSummary readJson(LineSource& source, RunFacts base, RunSink& sink) {
  Runs runs(std::move(base), sink);
  runs.summary.problem = readJsonPaths(source, runs);
  if (!runs.summary.problem.empty()) runs.cut(runs.summary.problem);
  return runs.summary;
}

size_t jsonStart(std::string_view line) {
  const size_t at = line.find("{\"identifier\"");
  if (at != std::string_view::npos) return at;
  const std::string_view text = trim(line);
  if (!startsWith(text, "{\"version\":")) return std::string_view::npos;
  return static_cast<size_t>(text.data() - line.data());
}

}  // namespace polyrail::read
