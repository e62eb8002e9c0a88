// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/verify.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "cli/learn/comparison.h"
#include "cli/learn/statistics.h"
#include "cli/read/reader.h"

namespace polyrail::sweep {
namespace {

constexpr size_t kDigestShown = 16;  // of the digest, in the tuner's line (tuner/communicator.cc)

cli::Series seriesOf(const std::optional<cli::Arm>& arm, const std::vector<std::vector<Sample>>& runs, size_t sizes) {
  cli::Series series{arm, {}, std::vector<double>(sizes, 0)};
  for (const std::vector<Sample>& run : runs) {
    cli::Times& times = series.runs.emplace_back();
    for (const Sample& s : run) times.push_back({std::log(s[0]), std::log(s[1])});
  }
  return series;
}

Change changeOf(const cli::Compared& c) {
  return c.low > 0 ? Change::kFaster : c.high < 0 ? Change::kSlower : Change::kNone;
}

bool namesPolicy(const std::string& log, const std::string& digest) {
  std::ifstream file(log, std::ios::binary);
  const std::string wanted = "policy " + digest.substr(0, kDigestShown);
  for (std::string line; std::getline(file, line);)
    if (line.find("TUNER/polyrail") != line.npos && line.find(wanted) != line.npos) return true;
  return false;
}

// The two arms of one collective on one layout: 0 NCCL's default, 1 the policy's choices.
class Duel {
 public:
  Duel(const Plan& plan, const VerifyRequest& request, nccl::Collective collective, const Layout& layout)
      : plan_(plan), request_(request), sizes_(sweep::sizesOf(plan)), failures_{} {
    found_.collective = collective, found_.layout = layout;
  }

  // By turns, and each pair in the other order: 01 10 01 ...
  std::optional<size_t> next() const {
    if (!found_.unusable.empty()) return std::nullopt;
    const size_t done = runs_[0].size() + runs_[1].size(), pair = done / 2;
    if (pair >= static_cast<size_t>(plan_.repeats)) return std::nullopt;
    return (pair + done) % 2;
  }

  double runsLeft() const { return 2 * plan_.repeats - static_cast<double>(runs_[0].size() + runs_[1].size()); }

  Question question(size_t arm) const {
    Question q;
    q.name = fmt::format("{} {} {} #{}", nccl::name(found_.collective), describe(found_.layout),
                         arm ? "policy" : "default", runs_[arm].size() + 1);
    q.start = {
        found_.collective, found_.layout, sizes_.front(), sizes_.back(), static_cast<uint64_t>(plan_.factor), {}};
    if (arm) q.start.settings = {{"NCCL_TUNER_PLUGIN", request_.tuner}, {"POLYRAIL_POLICY", request_.policy}};
    return q;
  }

  void take(size_t arm, const Answer& answer, const std::string& folder) {
    const std::string log = folder + "/" + answer.entry.log;
    std::string reason = answer.ok() ? "" : answer.entry.reason;
    if (answer.ok() && arm && !namesPolicy(log, request_.digest))
      reason = fmt::format("{}: no line of polyrail's tuner names the policy {:.16}; is NCCL_TUNER_PLUGIN={} found?",
                           log, request_.digest, request_.tuner);
    if (!reason.empty()) {
      if (++failures_[arm] >= static_cast<size_t>(plan_.attempts) || answer.ok()) found_.unusable = reason;
      return;
    }
    failures_[arm] = 0;
    runs_[arm].push_back(answer.entry.times);
    logs_[arm] = log;
  }

  VerifiedField finish() {
    if (!found_.unusable.empty()) return std::move(found_);
    found_.sizes = judgeRuns(sizes_, runs_[0], runs_[1]);
    for (size_t arm = 0; arm < 2; arm++) nameChoices(arm);
    return std::move(found_);
  }

 private:
  void nameChoices(size_t arm) {
    const Result<CollectedRuns> read = collectRuns(logs_[arm]);
    if (!read.ok()) return;
    for (const Run& run : read.value().runs)
      for (VerifiedSize& size : found_.sizes)
        if (const auto choice = cli::loggedChoice(run, found_.collective, size.bytes))
          (arm ? size.choice : size.byDefault) = cli::describe(choice);
  }

  const Plan& plan_;
  const VerifyRequest& request_;
  std::vector<uint64_t> sizes_;
  std::array<std::vector<std::vector<Sample>>, 2> runs_;
  std::array<std::string, 2> logs_;
  std::array<size_t, 2> failures_;
  VerifiedField found_;
};

}  // namespace

size_t VerifiedField::slower() const {
  size_t count = 0;
  for (const VerifiedSize& s : sizes) count += s.change == Change::kSlower;
  return count;
}

std::vector<VerifiedSize> judgeRuns(const std::vector<uint64_t>& sizes,
                                    const std::vector<std::vector<Sample>>& byDefault,
                                    const std::vector<std::vector<Sample>>& byPolicy) {
  cli::Sweep sweep;
  sweep.sizes = sizes;
  sweep.ranks = sweep.nodes = 1;
  sweep.defaultChoice.resize(sizes.size());
  sweep.series.push_back(seriesOf(std::nullopt, byDefault, sizes.size()));
  sweep.series.push_back(seriesOf(cli::Arm{}, byPolicy, sizes.size()));  // any arm: only the times count here
  const cli::Comparison compared = cli::compare(sweep, {});
  std::vector<VerifiedSize> out;
  for (size_t s = 0; s < sizes.size(); s++) {
    const cli::Compared& c = compared.cells[1][s];
    out.push_back({sizes[s], cli::typicalUs(sweep.series[0], s), cli::typicalUs(sweep.series[1], s),
                   cli::saved(c.gain), cli::saved(c.low), cli::saved(c.high), changeOf(c), "", ""});
  }
  return out;
}

Result<std::vector<VerifiedField>> verifyPolicy(const Plan& plan, const VerifyRequest& request, Journal& journal,
                                                const std::function<void(const Step&)>& told) {
  std::vector<VerifiedField> out;
  double seconds = 0, runs = 0, after = static_cast<double>(plan.collectives.size() * plan.layouts.size());
  for (const nccl::Collective c : plan.collectives)
    for (const Layout& l : plan.layouts) {
      Duel duel(plan, request, c, l);
      after--;
      while (const std::optional<size_t> arm = duel.next()) {
        const Question question = duel.question(*arm);
        const Result<Answer> answer = measure(plan, question, journal);
        if (!answer.ok()) return answer.status();
        seconds += answer.value().entry.seconds, runs++;
        duel.take(*arm, answer.value(), journal.folder());
        const double left = duel.runsLeft() + after * 2 * plan.repeats;
        if (told && !answer.value().recalled) told({question.name, &answer.value(), left * seconds / runs});
      }
      out.push_back(duel.finish());
    }
  return out;
}

}  // namespace polyrail::sweep
