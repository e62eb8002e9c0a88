// SPDX-License-Identifier: Apache-2.0
// The reader in bytes a second, and how long learning takes from 10^5 rows, both from the sample sweep that ships.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/learn/learn.h"
#include "cli/learn/sweep.h"
#include "cli/read/reader.h"

namespace {

using namespace polyrail;

std::string sweepFolder() {
  const char* top = std::getenv("POLYRAIL_TOP");
  return std::string(top ? top : ".") + "/examples/sweep";
}

std::vector<std::string> sweepTexts() {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(sweepFolder())) {
    std::ifstream file(entry.path());
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

void BM_Read(benchmark::State& state) {
  std::string text;
  const std::vector<std::string> texts = sweepTexts();
  while (text.size() < (64u << 20))
    for (const std::string& one : texts) text += one;
  for (auto _ : state) {
    RunSink sink;
    benchmark::DoNotOptimize(readRunsFromText(text, "bench", sink));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(BM_Read)->Unit(benchmark::kMillisecond);

void BM_Learn(benchmark::State& state) {
  std::vector<Run> runs;
  size_t rows = 0;
  while (rows < 100000)
    for (const std::string& text : sweepTexts())
      for (Run& run : collectRunsFromText(text, "bench").runs)
        rows += run.rows.size(), runs.push_back(std::move(run));
  std::vector<const Run*> pointers;
  for (const Run& run : runs) pointers.push_back(&run);
  for (auto _ : state) {
    const cli::Sweeps sweeps = cli::makeSweeps(pointers);
    benchmark::DoNotOptimize(cli::learn(sweeps.sweeps, cli::LearnOptions{}));
  }
  state.counters["rows"] = static_cast<double>(rows);
}
BENCHMARK(BM_Learn)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
