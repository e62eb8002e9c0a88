// SPDX-License-Identifier: Apache-2.0
// Real NCCL on the virtual GPU, two nodes of one rank: its own NET/IB and polyrail's plugin by turns on the same
// emulated rails, five runs each, medians. Rails are paced far below what the CPU can move (40 MB/s and 10 MB/s), so
// that the ratio is of the rails' use and not of the machine. Prints a table beside the bars: time of a collective,
// and of the whole run the bytes that left on all rails and the CPU's seconds.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "test/vgpu/suite/job.h"

using namespace polyrail::vgpu;

namespace {

constexpr int kRuns = 5;
constexpr const char* kFast = "320Mb/s";  // 40 MB/s
constexpr const char* kSlow = "80Mb/s";

struct Case {
  const char* name;
  std::vector<std::string> rates;
  const char* options;
  double limit;  // of polyrail's time over NET/IB's; 0: only shown
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

struct Side {
  std::vector<double> micros, cpu, mib;
  bool right = true;
};

Job jobOf(const Case& c, bool builtin) {
  Job job("all_reduce");
  job.on({.rates = c.rates}).options(std::string(c.options) + " -w 1 --in-place 0").fused();
  if (builtin) job.builtin();
  return job;
}

void runOnce(const Case& c, bool builtin, Side* side) {
  const Outcome outcome = jobOf(c, builtin).run();
  side->right &= outcome.right() && outcome.times().size() == 1;
  if (!outcome.right()) fprintf(stderr, "%s", outcome.lines("failure").c_str());
  for (const double time : outcome.times()) side->micros.push_back(time);
  side->cpu.push_back(outcome.cpuSeconds);
  double bytes = 0;
  for (const RailTraffic& rail : outcome.traffic()) bytes += static_cast<double>(rail.bytes);
  side->mib.push_back(bytes / (1 << 20));
}

void printSide(const char* name, const Side& side) {
  printf("   %s %9.0f us %9.3f MiB %6.2f cpu s", name, median(side.micros), median(side.mib), median(side.cpu));
}

bool compare(const Case& c) {
  Side ours, theirs;
  for (int i = 0; i < kRuns; ++i) {
    runOnce(c, true, &theirs);
    runOnce(c, false, &ours);
  }
  const double ratio = median(ours.micros) / std::max(median(theirs.micros), 1.0);
  printf("%-18s %-20s", c.name, c.options);
  printSide("polyrail", ours);
  printSide("NET/IB", theirs);
  printf("   ratio %.3f\n", ratio);
  if (c.limit == 0) return true;
  const bool holds = ours.right && theirs.right && ratio <= c.limit;
  printf("BAR %s %.3f %.2f %s%s\n", c.name, ratio, c.limit, holds ? "holds" : "falls-short",
         ours.right && theirs.right ? "" : " a run failed or was wrong");
  return holds;
}

// Processes, communicator, one AllReduce, all of it gone again: the least of the runs, the machine may be busy.
bool lifeTime() {
  std::vector<double> seconds;
  bool right = true;
  for (int i = 0; i < kRuns; ++i) {
    const Outcome outcome = Job("all_reduce").options("-b 64K -e 64K -n 0 --in-place 0").run();
    right &= outcome.right();
    seconds.push_back(outcome.seconds);
  }
  const double least = *std::min_element(seconds.begin(), seconds.end());
  const bool holds = right && least < 2;
  printf("BAR nccl-two-ranks-s %.2f 2 %s\n", least, holds ? "holds" : "falls-short");
  return holds;
}

bool mutants() {
  int caught = 0;
  for (const char* how : {"none", "flip", "drop", "swap"}) {
    Job job("all_reduce");
    job.watched(how).with("NCCL_PROTO", "Simple");
    job.options("-b 4M -e 4M -n 1 -d int32");  // a sum of floats may round one bit away
    const Outcome outcome = job.run();
    const bool found = outcome.says("Out of bounds values") && !outcome.says("Out of bounds values : 0 OK");
    const bool mutated = std::string(how) != "none";
    if (mutated ? found && outcome.says("mutant: " + std::string(how) + " in a message") : outcome.right()) ++caught;
  }
  printf("BAR nccl-mutants-caught %d 4 %s\n", caught, caught == 4 ? "holds" : "falls-short");
  return caught == 4;
}

}  // namespace

int main() {
  const char* names[] = {"nccl-rails-4to1", "nccl-rails-equal", "nccl-two-ranks-s", "nccl-mutants-caught"};
  if (ncclVersion() == 0) {
    for (const char* name : names) printf("BAR %s - - skipped no NCCL: run `make test-nccl` first\n", name);
    return 0;
  }
  const Case cases[] = {{names[0], {kFast, kSlow}, "-b 32M -e 32M -n 1", 0.50},
                        {names[1], {kFast, kFast}, "-b 32M -e 32M -n 1", 1.05},
                        {"small-8B", {"0", "0"}, "-b 8 -e 8 -n 200", 0},
                        {"small-64KiB", {"0", "0"}, "-b 64K -e 64K -n 50", 0}};
  bool good = true;
  for (const Case& c : cases) good &= compare(c);
  good &= lifeTime();
  good &= mutants();
  return good ? 0 : 1;
}
