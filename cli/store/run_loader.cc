// SPDX-License-Identifier: Apache-2.0
#include "cli/store/run_loader.h"

#include <fmt/format.h>

#include <limits>
#include <unordered_map>

namespace polyrail::cli {
namespace {

std::optional<int> small(const std::optional<int64_t>& value) {
  return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

std::optional<uint64_t> large(const std::optional<int64_t>& value) {
  return value ? std::optional<uint64_t>(static_cast<uint64_t>(*value)) : std::nullopt;
}

double orNan(const std::optional<double>& value) { return value.value_or(std::numeric_limits<double>::quiet_NaN()); }

// Every table is read once, in order of run and place, and each line goes to its run.
class Loader {
 public:
  explicit Loader(Database& database) : database_(database) {}

  Status load() {
    for (const auto part : {&Loader::loadHeads, &Loader::loadRows, &Loader::loadTimes, &Loader::loadChoices,
                            &Loader::loadCosts, &Loader::loadProblems})
      if (const Status done = (this->*part)(); !done.ok()) return done;
    return wrong_.empty() ? Status() : Status::error(fmt::format("{}: {}", database_.path(), wrong_));
  }

  std::vector<LabelledRun> runs;

 private:
  // The run of the current line, whose id is its first column; the schema's foreign keys see to it that there is one.
  Run& runOf(Statement& s) { return runs[byId_[s.integer()]].run; }

  template <typename Enum>
  Enum named(std::optional<Enum> value) {
    if (!value) wrong_ = "names a collective, algorithm or protocol that this program does not know";
    return value.value_or(Enum{});
  }

  static void readSettings(Statement& s, TestSettings& settings) {
    for (auto field :
         {&TestSettings::threads, &TestSettings::gpusPerThread, &TestSettings::warmupIterations,
          &TestSettings::iterations, &TestSettings::aggregated, &TestSettings::validation, &TestSettings::graph})
      settings.*field = small(s.maybeInteger());
    settings.cpuTime = s.integer() != 0;
  }

  void readHead(Statement& s) {
    LabelledRun labelled;
    Run& run = labelled.run;
    byId_[s.integer()] = runs.size();
    labelled.label = s.text(), labelled.digest = s.text();
    run.file = s.text(), run.line = static_cast<uint64_t>(s.integer());
    run.collectiveText = s.text();
    if (const std::string name = s.text(); !name.empty()) run.collective = named(nccl::parseCollective(name));
    run.ranks = large(s.maybeInteger()), run.nodes = large(s.maybeInteger());
    run.ncclVersion = s.text(), run.testsVersion = s.text(), run.gpu = s.text();
    run.forced.algorithm = s.text(), run.forced.protocol = s.text();
    run.forced.minChannels = small(s.maybeInteger()), run.forced.maxChannels = small(s.maybeInteger());
    readSettings(s, run.settings);
    run.startTime = s.text(), run.tunerPlugin = s.text(), run.netPlugin = s.text(), run.network = s.text();
    run.collChannels = small(s.maybeInteger());
    if (s.integer() != 0) run.costTable.emplace();
    run.complete = s.integer() != 0;
    runs.push_back(std::move(labelled));
  }

  Status loadHeads() {
    Statement s(
        database_,
        "SELECT runs.id, label, sha256, name, line, collective_text, collective, ranks, nodes, nccl_version, "
        "tests_version, gpu, forced_algorithm, forced_protocol, min_channels, max_channels, threads, "
        "gpus_per_thread, warmup_iterations, iterations, aggregated, validation, graph, cpu_time, start_time, "
        "tuner_plugin, net_plugin, network, coll_channels, has_costs, complete "
        "FROM runs JOIN files ON files.id = file_id ORDER BY runs.id");
    while (s.step()) readHead(s);
    return s.status();
  }

  Status loadRows() {
    Statement s(database_,
                "SELECT run_id, size_bytes, count, type, redop, root, line FROM rows ORDER BY run_id, ordinal");
    while (s.step()) {
      Run& run = runOf(s);
      Row row;
      row.sizeBytes = static_cast<uint64_t>(s.integer()), row.count = static_cast<uint64_t>(s.integer());
      row.type = s.text(), row.redop = s.text();
      row.root = static_cast<int>(s.integer()), row.line = static_cast<uint64_t>(s.integer());
      run.rows.push_back(std::move(row));
    }
    return s.status();
  }

  Status loadTimes() {
    Statement s(
        database_,
        "SELECT run_id, ordinal, in_place, time_us, alg_bw, bus_bw, wrong, min_us, max_us, p99_us, cv_percent "
        "FROM times ORDER BY run_id, ordinal, in_place");
    while (s.step()) {
      Run& run = runOf(s);
      Row& row = run.rows[static_cast<size_t>(s.integer())];
      auto& place = s.integer() != 0 ? row.inPlace : row.outOfPlace;
      Placement p;
      p.timeUs = orNan(s.maybeReal()), p.algBw = orNan(s.maybeReal()), p.busBw = orNan(s.maybeReal());
      p.wrong = s.maybeReal();
      if (const std::optional<double> min = s.maybeReal())
        p.spread = IterationSpread{*min, s.real(), s.real(), s.real()};
      place = p;
    }
    return s.status();
  }

  Status loadChoices() {
    Statement s(database_,
                "SELECT run_id, collective, total_bytes, bytes_are_per_rank, algorithm, protocol, channels, "
                "model_time_us, lines FROM choices ORDER BY run_id, ordinal");
    while (s.step()) {
      Run& run = runOf(s);
      LoggedChoice c;
      c.collective = named(nccl::parseCollective(s.text()));
      c.totalBytes = static_cast<uint64_t>(s.integer()), c.bytesArePerRank = s.integer() != 0;
      c.algorithm = named(nccl::parseAlgorithm(s.text())), c.protocol = named(nccl::parseProtocol(s.text()));
      c.channels = small(s.maybeInteger()), c.modelTimeUs = s.maybeReal();
      c.lines = static_cast<uint64_t>(s.integer());
      run.choices.push_back(c);
    }
    return s.status();
  }

  Status loadCosts() {
    Statement s(database_, "SELECT run_id, collective, algorithm, protocol, latency_us, bandwidth_gbs FROM costs");
    while (s.step()) {
      CostModel& table = *runOf(s).costTable;
      const auto c = static_cast<size_t>(named(nccl::parseCollective(s.text())));
      const auto a = static_cast<size_t>(named(nccl::parseAlgorithm(s.text())));
      const auto p = static_cast<size_t>(named(nccl::parseProtocol(s.text())));
      table.latencyUs[c][a][p] = s.real();
      table.bandwidthGBs[c][a][p] = s.real();
    }
    return s.status();
  }

  Status loadProblems() {
    Statement s(database_, "SELECT run_id, text FROM problems ORDER BY run_id, ordinal");
    while (s.step()) {
      Run& run = runOf(s);
      run.problems.push_back(s.text());
    }
    return s.status();
  }

  Database& database_;
  std::unordered_map<int64_t, size_t> byId_;
  std::string wrong_;
};

}  // namespace

Result<std::vector<LabelledRun>> loadRuns(Database& database) {
  Loader loader(database);
  const Status done = loader.load();
  if (!done.ok()) return done;
  return std::move(loader.runs);
}

}  // namespace polyrail::cli
