// SPDX-License-Identifier: Apache-2.0
// Bars on the public logs of H100 with NCCL's cost table in them: the default choice rebuilt from the printed table
// is the one that each log records, for every distinct size; the analytic model gives every printed cell to one
// decimal from two or three numbers of the machine.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/model/cost_model.h"
#include "cli/model/predicted_time.h"
#include "cli/read/reader.h"

namespace {

using namespace polyrail;
using namespace polyrail::nccl;

struct Score {
  int right = 0, points = 0;
  std::string firstWrong;
  void add(bool ok, const std::string& what) {
    points++;
    right += ok;
    if (!ok && firstWrong.empty()) firstWrong = what;
  }
};

void report(const char* name, const Score& s, int least) {
  const bool holds = s.right == s.points && s.points >= least;
  std::printf("BAR %s %d/%d %d/%d %s %s\n", name, s.right, s.points, s.points, s.points,
              holds ? "holds" : "falls-short", s.firstWrong.c_str());
}

void skip(const char* reason) {
  for (const char* name : {"nccl-default-reconstructed", "nccl-cost-model"})
    std::printf("BAR %s - all skipped %s\n", name, reason);
}

std::string folder() {
  const char* data = std::getenv("DATA");
  if (data == nullptr || *data == '\0') return "";
  const std::string nested = std::string(data) + "/nccl-tests";
  return std::filesystem::is_directory(nested) ? nested : data;
}

std::optional<Run> runOf(const std::string& file) {
  const polyrail::Result<CollectedRuns> read = collectRuns(file);
  if (!read.ok()) return std::nullopt;
  for (const Run& run : read.value().runs)
    if (run.costTable && run.ranks && run.nodes) return run;
  return std::nullopt;
}

void judgeChoices(const Run& run, const std::string& file, Score& score) {
  const ModelShape shape{*run.ranks, *run.nodes, run.collChannels.value_or(16),
                         false,      false,      parseVersion(run.ncclVersion).value_or(kReferenceVersion)};
  for (const LoggedChoice& logged : run.choices) {
    const auto rebuilt = defaultChoice(*run.costTable, shape, {logged.collective, logged.totalBytes, 1});
    const bool same = rebuilt && rebuilt->algorithm == logged.algorithm && rebuilt->protocol == logged.protocol;
    score.add(same, file + " at " + std::to_string(logged.totalBytes) + " bytes");
  }
}

Graph graph(int channels, float perChannelGBs) {
  Graph g;
  g.channels = channels;
  g.intraGBs = g.interGBs = perChannelGBs;
  return g;
}

// What the search found there, inferred from one cell of each algorithm: the logs lack the GRAPH lines.
Machine machineOf(const Run& run) {
  Machine m;
  m.ranks = static_cast<int>(*run.ranks);
  m.graphs.fill(graph(12, 30));
  const bool pair = m.ranks == 2;
  if (pair) m.graphs[static_cast<size_t>(Algorithm::kTree)] = graph(12, 60);
  m.graphs[static_cast<size_t>(Algorithm::kNvls)] = graph(m.ranks, pair ? 60 : 50);
  if (!pair) m.graphs[static_cast<size_t>(Algorithm::kNvls)].interGBs = 60;
  return m;
}

bool near(double model, double printed) { return std::abs(model - printed) <= 0.0501; }

void judgeCells(const Run& run, const std::string& file, Score& score) {
  const CostModel model = costModel(machineOf(run));
  for (size_t c = 0; c < kNumCollectives; c++)
    for (size_t a = 0; a < kNumAlgorithms; a++)
      for (size_t p = 0; p < kNumProtocols; p++) {
        const CostModel& log = *run.costTable;
        const bool same = near(model.latencyUs[c][a][p], log.latencyUs[c][a][p]) &&
                          near(model.bandwidthGBs[c][a][p], log.bandwidthGBs[c][a][p]);
        score.add(same, file + " " + std::string(name(static_cast<Collective>(c))) + " " +
                            std::string(name(static_cast<Algorithm>(a))) + " " +
                            std::string(name(static_cast<Protocol>(p))));
      }
}

}  // namespace

int main() {
  const std::string data = folder();
  if (data.empty()) return skip("needs DATA=DIR"), 0;
  Score choices, cells;
  for (const char* ranks : {"2", "6"}) {
    for (const char* forced : {"auto", "Ring", "NVLS"}) {
      const std::string file = std::string("h100_") + ranks + "r_1n_" + forced + "_tuning_debug.log";
      const std::optional<Run> run = runOf(data + "/" + file);
      if (!run) return skip((file + " is not in DATA, or has no cost table").c_str()), 0;
      judgeChoices(*run, file, choices);
      if (std::string(forced) == "auto") judgeCells(*run, file, cells);
    }
  }
  report("nccl-default-reconstructed", choices, 36);
  report("nccl-cost-model", cells, 210);
  return 0;
}
