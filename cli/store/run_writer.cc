// SPDX-License-Identifier: Apache-2.0
#include "cli/store/run_writer.h"

namespace polyrail::cli {
namespace {

std::string text(std::string_view name) { return std::string(name); }

std::optional<std::string> nameOf(const std::optional<nccl::Collective>& collective) {
  if (!collective) return std::nullopt;
  return text(nccl::name(*collective));
}

}  // namespace

RunWriter::RunWriter(Database& database)
    : run_(database,
           "INSERT INTO runs (file_id, line, collective_text, collective, ranks, nodes, nccl_version, tests_version, "
           "gpu, forced_algorithm, forced_protocol, min_channels, max_channels, threads, gpus_per_thread, "
           "warmup_iterations, iterations, aggregated, validation, graph, cpu_time, start_time, tuner_plugin, "
           "net_plugin, network, coll_channels, has_costs, complete) "
           "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"),
      row_(database, "INSERT INTO rows VALUES (?,?,?,?,?,?,?,?)"),
      time_(database, "INSERT INTO times VALUES (?,?,?,?,?,?,?,?,?,?,?)"),
      choice_(database, "INSERT INTO choices VALUES (?,?,?,?,?,?,?,?,?,?)"),
      cost_(database, "INSERT INTO costs VALUES (?,?,?,?,?,?)"),
      problem_(database, "INSERT INTO problems VALUES (?,?,?)") {}

Status RunWriter::write(int64_t fileId, const Run& run) {
  writeRun(fileId, run);
  const int64_t id = run_.lastRow();
  if (run_.status().ok()) {
    for (size_t i = 0; i < run.rows.size(); i++) writeRow(id, i, run.rows[i]);
    writeChoices(id, run.choices);
    if (run.costTable) writeCosts(id, *run.costTable);
    writeProblems(id, run.problems);
  }
  for (const Statement* s : {&run_, &row_, &time_, &choice_, &cost_, &problem_})
    if (!s->status().ok()) return s->status();
  return Status();
}

void RunWriter::writeRun(int64_t fileId, const Run& run) {
  const Forced& f = run.forced;
  const TestSettings& s = run.settings;
  run_.bind(fileId).bind(run.line).bind(run.collectiveText).bind(nameOf(run.collective));
  run_.bind(run.ranks).bind(run.nodes).bind(run.ncclVersion).bind(run.testsVersion).bind(run.gpu);
  run_.bind(f.algorithm).bind(f.protocol).bind(f.minChannels).bind(f.maxChannels);
  run_.bind(s.threads).bind(s.gpusPerThread).bind(s.warmupIterations).bind(s.iterations);
  run_.bind(s.aggregated).bind(s.validation).bind(s.graph).bind(int{s.cpuTime}).bind(run.startTime);
  run_.bind(run.tunerPlugin).bind(run.netPlugin).bind(run.network).bind(run.collChannels);
  run_.bind(int{run.costTable.has_value()}).bind(int{run.complete}).execute();
}

void RunWriter::writeRow(int64_t run, size_t ordinal, const Row& row) {
  row_.bind(run).bind(ordinal).bind(row.sizeBytes).bind(row.count).bind(row.type).bind(row.redop).bind(row.root);
  if (!row_.bind(row.line).execute()) return;
  if (row.outOfPlace) writeTime(run, ordinal, false, *row.outOfPlace);
  if (row.inPlace) writeTime(run, ordinal, true, *row.inPlace);
}

void RunWriter::writeTime(int64_t run, size_t ordinal, bool inPlace, const Placement& p) {
  time_.bind(run).bind(ordinal).bind(int{inPlace}).bind(p.timeUs).bind(p.algBw).bind(p.busBw).bind(p.wrong);
  const auto spread = [&](double IterationSpread::*field) {
    time_.bind(p.spread ? std::optional<double>((*p.spread).*field) : std::nullopt);
  };
  spread(&IterationSpread::minUs);
  spread(&IterationSpread::maxUs);
  spread(&IterationSpread::p99Us);
  spread(&IterationSpread::cvPercent);
  time_.execute();
}

void RunWriter::writeChoices(int64_t run, const std::vector<LoggedChoice>& choices) {
  for (size_t i = 0; i < choices.size(); i++) {
    const LoggedChoice& c = choices[i];
    choice_.bind(run).bind(i).bind(text(nccl::name(c.collective))).bind(c.totalBytes).bind(int{c.bytesArePerRank});
    choice_.bind(text(nccl::name(c.algorithm))).bind(text(nccl::name(c.protocol))).bind(c.channels);
    choice_.bind(c.modelTimeUs).bind(c.lines).execute();
  }
}

void RunWriter::writeCosts(int64_t run, const CostModel& table) {
  for (size_t c = 0; c < nccl::kNumCollectives; c++)
    for (size_t a = 0; a < nccl::kNumAlgorithms; a++)
      for (size_t p = 0; p < nccl::kNumProtocols; p++) {
        const double latency = table.latencyUs[c][a][p], bandwidth = table.bandwidthGBs[c][a][p];
        if (latency == 0 && bandwidth == 0) continue;
        cost_.bind(run).bind(text(nccl::name(static_cast<nccl::Collective>(c))));
        cost_.bind(text(nccl::name(static_cast<nccl::Algorithm>(a))));
        cost_.bind(text(nccl::name(static_cast<nccl::Protocol>(p)))).bind(latency).bind(bandwidth).execute();
      }
}

void RunWriter::writeProblems(int64_t run, const std::vector<std::string>& problems) {
  for (size_t i = 0; i < problems.size(); i++) problem_.bind(run).bind(i).bind(problems[i]).execute();
}

}  // namespace polyrail::cli
