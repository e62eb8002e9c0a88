// SPDX-License-Identifier: Apache-2.0
// The sink that keeps everything.
#include <map>
#include <tuple>

#include "cli/read/reader.h"

namespace polyrail {
namespace {

class Collector : public RunSink {
 public:
  void onRow(const Run& run, const Row& row, const RowText&) override { open_[&run].rows.push_back(row); }

  void onChoice(const Run& run, const LoggedChoice& choice) override {
    Open& open = open_[&run];
    const Key key{choice.collective, choice.totalBytes, choice.algorithm, choice.protocol, choice.channels};
    const auto [at, isNew] = open.seen.try_emplace(key, open.choices.size());
    if (isNew)
      open.choices.push_back(choice);
    else
      open.choices[at->second].lines += choice.lines;
  }

  void onRunEnd(Run&& run) override {
    Open& open = open_[&run];
    runs.push_back(std::move(run));
    runs.back().rows = std::move(open.rows);
    runs.back().choices = std::move(open.choices);
    open_.erase(&run);
  }

  std::vector<Run> runs;

 private:
  using Key = std::tuple<nccl::Collective, uint64_t, nccl::Algorithm, nccl::Protocol, std::optional<int>>;
  struct Open {
    std::vector<Row> rows;
    std::vector<LoggedChoice> choices;
    std::map<Key, size_t> seen;
  };
  std::map<const Run*, Open> open_;  // by the address that the reader keeps for the run's life
};

}  // namespace

Result<CollectedRuns> collectRuns(const std::string& path) {
  Collector sink;
  Result<ReadSummary> summary = readRuns(path, sink);
  if (!summary.ok()) return summary.status();
  return CollectedRuns{std::move(sink.runs), std::move(summary).value()};
}

CollectedRuns collectRunsFromText(std::string_view text, const std::string& name) {
  Collector sink;
  ReadSummary summary = readRunsFromText(text, name, sink);
  return {std::move(sink.runs), std::move(summary)};
}

}  // namespace polyrail
