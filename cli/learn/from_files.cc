// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/from_files.h"

#include "cli/learn/context_choice.h"
#include "cli/output/progress.h"
#include "common/policy/policy_file.h"

namespace polyrail::cli {

Result<LearnedFiles> learnFromFiles(const LearnRequest& request) {
  GatherOptions gather = request.gather;
  gather.progress = progressLine("reading file");
  gather.addedAt = request.labels.learnedAt;
  Result<Gathered> gathered = gatherRuns(request.inputs, gather);
  if (!gathered.ok()) return gathered.status();
  LearnedFiles out;
  out.gathered = std::move(gathered).value();
  const Result<ChosenContext> chosen = chooseContext(out.gathered.runs, request.context);
  if (!chosen.ok()) return chosen.status();
  out.context = chosen.value().context;
  const Sweeps sweeps = makeSweeps(chosen.value().runs);
  out.notes = out.gathered.notes;
  out.notes.insert(out.notes.end(), chosen.value().notes.begin(), chosen.value().notes.end());
  out.notes.insert(out.notes.end(), sweeps.notes.begin(), sweeps.notes.end());
  const auto show = progressLine("learning from sweep");
  out.learned = learn(sweeps.sweeps, request.learn, [&](size_t done) {
    if (show) show(done, sweeps.sweeps.size());
  });
  out.policy = buildPolicy(out.learned, out.context, out.gathered.files, request.labels, request.learn);
  const Status valid = validatePolicy(out.policy);
  if (!valid.ok())
    return Status::error("internal error, please report it: the policy is not valid: " + valid.message());
  return out;
}

}  // namespace polyrail::cli
