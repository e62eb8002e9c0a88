// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/measure.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "cli/read/reader.h"
#include "cli/sweep/run_logged.h"

namespace polyrail::sweep {
namespace {

// What `polyrail read` finds the test and the forced choice by, whatever the benchmark's version prints.
std::string headOf(const Question& q, const std::string& line) {
  std::string head = "# polyrail sweep: " + q.name + "\n";
  if (q.arm) {
    head += "###";
    for (const auto& [name, value] : q.start.settings) head += " " + name + "=" + value;
    head += "\n";
  }
  return head + "+ " + line + "\n";
}

std::string fileName(const Journal& journal, const std::string& name) {
  std::string out = fmt::format("{:05}-", journal.entries() + 1);
  for (const char c : name) out += c == ' ' || c == '/' ? '-' : c;
  return out + ".txt";
}

bool near(uint64_t a, uint64_t b) {
  return std::abs(static_cast<double>(a) - static_cast<double>(b)) <= 0.01 * static_cast<double>(std::max(a, b));
}

double timeOf(const std::optional<Placement>& p) { return p && p->timeUs > 0 ? p->timeUs : NAN; }

const Row* rowOf(const Run& run, const std::vector<uint64_t>& sizes, size_t index) {
  if (run.rows.size() == sizes.size()) return &run.rows[index];
  for (const Row& row : run.rows)
    if (near(row.sizeBytes, sizes[index])) return &row;
  return nullptr;
}

Status checkRow(const Run& run, const Row& row, const Question& q) {
  for (const auto& p : {row.outOfPlace, row.inPlace})
    if (p && p->wrong.value_or(0) > 0) return Status::error(fmt::format("wrong results at {} bytes", row.sizeBytes));
  const Result<std::optional<cli::Arm>> arm = cli::armOf(run, row);
  if (!arm.ok()) return arm.status();
  if (arm.value() != q.arm)
    return Status::error(fmt::format("{} was asked for, {} ran; is NCCL steered by an nccl.conf?",
                                     cli::describe(q.arm), cli::describe(arm.value())));
  return {};
}

std::string reasonOf(const CollectedRuns& read) {
  for (const Run& run : read.runs)
    if (!run.problems.empty()) return run.problems.back();
  return read.summary.reason.empty() ? "no rows" : read.summary.reason;
}

struct Judged {
  std::string outcome, reason;
  std::vector<Sample> times;
};

Judged judge(const Question& q, const RunEnd& end, const Plan& plan, const std::string& log) {
  if (end.timedOut) return {"timeout", fmt::format("did not end within {:g} s", plan.timeout), {}};
  Result<std::vector<Sample>> times = timesIn(log, q);
  if (!times.ok() && end.status != 0)
    return {"failed", fmt::format("exit status {}: {}", end.status, times.message()), {}};
  if (!times.ok()) return {"failed", times.message(), {}};
  if (end.status != 0) return {"failed", fmt::format("exit status {}", end.status), {}};
  return {"ok", "", std::move(times).value()};
}

Result<Answer> run(const Plan& plan, const Question& q, Journal& journal) {
  const std::string name = fileName(journal, q.name), hidden = journal.folder() + "/logs/." + name;
  const std::string line = commandLine(plan, q.start);
  const RunEnd end = runLogged(line, hidden, headOf(q, line), plan.timeout, steeringVariables());
  if (!end.failure.empty()) return Status::error(end.failure);
  if (end.interrupted) return Status::error(kInterrupted);
  Judged judged = judge(q, end, plan, hidden);
  const std::string kept = (judged.outcome == "ok" ? "logs/" : "failed/") + name;
  if (std::rename(hidden.c_str(), (journal.folder() + "/" + kept).c_str()) != 0)
    return Status::error(fmt::format("{}/{}: {}", journal.folder(), kept, std::strerror(errno)));
  Answer answer{{q.name, judged.outcome, judged.reason, kept, end.seconds, std::move(judged.times)}, false};
  if (Status s = journal.add(answer.entry); !s.ok()) return s;
  return answer;
}

}  // namespace

std::vector<uint64_t> sizesOf(const Start& s) {
  std::vector<uint64_t> sizes;
  for (uint64_t size = s.first; size <= s.last; size *= s.factor) sizes.push_back(size);
  return sizes;
}

Result<std::vector<Sample>> timesIn(const std::string& log, const Question& q) {
  const Result<CollectedRuns> read = collectRuns(log);
  if (!read.ok()) return read.status();
  const Run* found = nullptr;
  for (const Run& run : read.value().runs)
    if (!run.rows.empty() && run.collective == q.start.collective) found = &run;
  if (!found) return Status::error(reasonOf(read.value()));
  const std::vector<uint64_t> sizes = sizesOf(q.start);
  std::vector<Sample> times;
  for (size_t i = 0; i < sizes.size(); i++) {
    const Row* row = rowOf(*found, sizes, i);
    if (!row) return Status::error(fmt::format("rows for {} of {} sizes", found->rows.size(), sizes.size()));
    if (const Status s = checkRow(*found, *row, q); !s.ok()) return s;
    times.push_back({timeOf(row->outOfPlace), timeOf(row->inPlace)});
  }
  if (found->ranks && *found->ranks != static_cast<uint64_t>(q.start.layout.ranks()))
    return Status::error(fmt::format("it ran on {} ranks, not {}", *found->ranks, q.start.layout.ranks()));
  return times;
}

Result<Answer> measure(const Plan& plan, const Question& question, Journal& journal) {
  // Failures of the default are tried again: what was wrong then (a path, a node) may have been mended since.
  while (std::optional<Entry> known = journal.recall(question.name))
    if (known->outcome == "ok" || question.arm) return Answer{std::move(*known), true};
  return run(plan, question, journal);
}

}  // namespace polyrail::sweep
