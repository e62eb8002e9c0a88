// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/campaign.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/learn/statistics.h"

namespace polyrail::sweep {
namespace {

// How the seconds of the runs so far tell those of the runs to come.
class Pace {
 public:
  void add(double seconds) { seconds_ += seconds, runs_++; }
  double of(double runs) const { return runs_ > 0 ? runs * seconds_ / runs_ : 0; }

 private:
  double seconds_ = 0, runs_ = 0;
};

// Logs of least times of the default's runs, each at all sizes.
using DefaultRuns = std::vector<std::vector<double>>;

double medianDifference(const std::vector<double>& from, const std::vector<double>& to) {
  std::vector<double> differences;
  for (size_t i = 0; i < from.size(); i++)
    if (!std::isnan(to[i] - from[i])) differences.push_back(to[i] - from[i]);
  return differences.empty() ? 0 : cli::median(differences);
}

class FieldRace {
 public:
  FieldRace(const Plan& plan, nccl::Collective collective, const Layout& layout)
      : plan_(plan),
        arms_(armsOf(plan, collective)),
        race_(arms_.size() + 1, sweep::sizesOf(plan).size(),
              {static_cast<size_t>(plan.repeats), static_cast<size_t>(plan.attempts), 0.4, plan.full}) {
    found_.collective = collective, found_.layout = layout, found_.sizes = sweep::sizesOf(plan);
    reasons_.resize(arms_.size() + 1);
  }

  std::optional<Batch> next() { return race_.next(); }
  double runsLeft() const { return race_.runsLeft(); }
  std::optional<cli::Arm> arm(size_t index) const {
    return index ? std::optional<cli::Arm>(arms_[index - 1]) : std::nullopt;
  }

  Question question(const Batch& b) const {
    Question q;
    q.arm = arm(b.arm);
    q.name = fmt::format("{} {} {} r{} {}-{}{}", nccl::name(found_.collective), describe(found_.layout),
                         cli::describe(q.arm), b.round, found_.sizes[b.first], found_.sizes[b.last],
                         b.stride > 1 ? fmt::format(" s{}", b.stride) : "");
    q.start = {found_.collective, found_.layout, found_.sizes[b.first], found_.sizes[b.last], 1, settingsOf(q.arm)};
    for (size_t i = 0; i < b.stride; i++) q.start.factor *= static_cast<uint64_t>(plan_.factor);
    return q;
  }

  void take(const Batch& batch, const Answer& answer) {
    found_.runs++;
    if (!answer.ok()) {
      found_.failures++;
      reasons_[batch.arm] = answer.entry.reason;
      return race_.fail();
    }
    if (batch.arm == 0) keepDefault(answer.entry.times);
    race_.take(answer.entry.times);
  }

  FieldFindings finish() {
    found_.coverage = race_.coverage();
    if (race_.isOut(0)) found_.unusable = reasons_[0];
    for (size_t a = 1; a <= arms_.size(); a++)
      if (race_.isOut(a)) found_.givenUp.push_back({arms_[a - 1], reasons_[a]});
    for (size_t s = 0; s < found_.sizes.size(); s++) {
      const size_t best = race_.best(s);
      found_.best.push_back(arm(best));
      found_.bestUs.push_back(std::exp(race_.cells().estimate(best, s)));
      found_.defaultUs.push_back(std::exp(race_.cells().estimate(0, s)));
    }
    concludeDrift();
    return std::move(found_);
  }

 private:
  void keepDefault(const std::vector<Sample>& times) {
    std::vector<double>& run = defaults_.emplace_back();
    for (const Sample& s : times) run.push_back(std::log(std::fmin(s[0], s[1])));
  }

  void concludeDrift() {
    if (defaults_.size() < 2) return;
    found_.drift = std::expm1(medianDifference(defaults_.front(), defaults_.back()));
    std::vector<double> steps;
    for (size_t i = 1; i < defaults_.size(); i++)
      steps.push_back(std::abs(medianDifference(defaults_[i - 1], defaults_[i])));
    found_.noise = std::expm1(cli::median(steps));
  }

  const Plan& plan_;
  std::vector<cli::Arm> arms_;
  Race race_;
  FieldFindings found_;
  DefaultRuns defaults_;
  std::vector<std::string> reasons_;  // by arm: of its last failure
};

struct Sweeper {
  const Plan& plan;
  Journal& journal;
  const std::function<void(const Step&)>& told;
  Pace pace;
  Findings findings;

  Status field(FieldRace& race, double runsAfter) {
    while (const std::optional<Batch> batch = race.next()) {
      const Question question = race.question(*batch);
      const Result<Answer> answer = measure(plan, question, journal);
      if (!answer.ok()) return answer.status();
      pace.add(answer.value().entry.seconds);
      findings.recalled += answer.value().recalled;
      race.take(*batch, answer.value());
      if (told && !answer.value().recalled)
        told({question.name, &answer.value(), pace.of(race.runsLeft() + runsAfter)});
    }
    return {};
  }
};

}  // namespace

Result<Findings> runCampaign(const Plan& plan, Journal& journal, const std::function<void(const Step&)>& told) {
  std::deque<FieldRace> races;
  double runs = 0;
  for (const nccl::Collective c : plan.collectives)
    for (const Layout& l : plan.layouts) runs += races.emplace_back(plan, c, l).runsLeft();
  Sweeper sweeper{plan, journal, told, {}, {}};
  for (FieldRace& race : races) {
    runs -= race.runsLeft();  // as it was before its first run
    if (Status s = sweeper.field(race, runs); !s.ok()) return s;
    sweeper.findings.fields.push_back(race.finish());
  }
  return std::move(sweeper.findings);
}

}  // namespace polyrail::sweep
