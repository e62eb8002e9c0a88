// SPDX-License-Identifier: Apache-2.0
// `polyrail eval`: what a policy would have gained on measurements, and how much the best choice would have.
#include <fmt/format.h>
#include <unistd.h>

#include "cli/eval/leave_out.h"
#include "cli/eval/report.h"
#include "cli/learn/context_choice.h"
#include "cli/output/json.h"
#include "cli/output/progress.h"
#include "cli/output/table.h"
#include "cli/store/gather.h"
#include "cli/verbs.h"
#include "common/policy/policy_file.h"

namespace polyrail::cli {
namespace {

struct Arguments {
  std::string policy, context;
  std::vector<std::string> inputs;
  GatherOptions gather;
  bool json = false, cells = false, quick = false;
  double allowedLoss = 0.02;
};

struct Outcome {
  Evaluation evaluation;
  std::string context, digest;
  std::vector<std::string> notes;
};

Status evaluateAll(const Policy& policy, const std::vector<Sweep>& sweeps, const Arguments& args, Evaluation& out) {
  for (const Sweep& sweep : sweeps) {
    const Result<std::vector<EvalCell>> cells = evaluate(policy, sweep);
    if (!cells.ok()) return cells.status();
    out.cells.insert(out.cells.end(), cells.value().begin(), cells.value().end());
  }
  if (args.quick) return Status();
  LearnOptions options;
  options.allGatherChannels = policy.options.allGatherChannels;
  Result<std::vector<EvalCell>> sizes = leaveSizesOut(sweeps, options), shapes = leaveShapesOut(sweeps, options);
  if (!sizes.ok()) return sizes.status();
  if (!shapes.ok()) return shapes.status();
  out.withoutSizes = std::move(sizes).value();
  out.withoutShapes = std::move(shapes).value();
  return Status();
}

Result<Outcome> work(Arguments& args) {
  const Result<LoadedPolicy> policy = loadPolicyFile(args.policy);
  if (!policy.ok()) return policy.status();
  args.gather.progress = progressLine("reading file");
  const Result<Gathered> gathered = gatherRuns(args.inputs, args.gather);
  if (!gathered.ok()) return gathered.status();
  const Result<ChosenContext> chosen = chooseContext(gathered.value().runs, args.context);
  if (!chosen.ok()) return chosen.status();
  const Sweeps sweeps = makeSweeps(chosen.value().runs);
  Outcome out{{}, describe(chosen.value().context), policy.value().digest, gathered.value().notes};
  for (const auto* notes : {&chosen.value().notes, &sweeps.notes})
    out.notes.insert(out.notes.end(), notes->begin(), notes->end());
  const Status done = evaluateAll(policy.value().policy, sweeps.sweeps, args, out.evaluation);
  if (!done.ok()) return done;
  if (out.evaluation.cells.empty())
    return Status::error("no size was measured with two choices; measure the default beside forced ones");
  return out;
}

void printHuman(const Arguments& args, const Outcome& out) {
  fmt::print("{} on {}\n", args.policy, out.context);
  printEvaluation(out.evaluation, args.cells, wantsColour(stdout));
  if (!out.notes.empty()) fmt::print("\nLeft aside:\n");
  for (const std::string& note : out.notes) fmt::print("  {}\n", note);
}

void printJson(const Arguments& args, const Outcome& out) {
  nlohmann::ordered_json all = {{"policy", {{"file", args.policy}, {"sha256", out.digest}}},
                                {"context", out.context}};
  all.update(asJson(out.evaluation));
  all["notes"] = out.notes;
  fmt::print("{}\n", jsonText(all));
}

int evalVerb(Arguments& args) {
  const Result<Outcome> done = work(args);
  if (!done.ok()) return fail("eval", done.message(), kExitBadInput);
  (args.json ? printJson : printHuman)(args, done.value());
  const double worst = summarise(done.value().evaluation.cells).worstOverDefault;
  if (worst <= args.allowedLoss) return kExitOk;
  return fail("eval", fmt::format("somewhere the policy takes {:.1f} % longer than NCCL's default", 100 * worst),
              kExitFinding);
}

}  // namespace

void attachEval(CLI::App& verb, int& exitCode) {
  auto args = std::make_shared<Arguments>();
  verb.add_option("POLICY", args->policy, "policy file")->required();
  verb.add_option("DATA", args->inputs, "nccl-tests output (text or JSON), folders of it, or baseline stores")
      ->required();
  verb.add_option("--context", args->context,
                  "use only the context that contains this text (GPU, NCCL version, network, campaign)");
  verb.add_option("--ranks", args->gather.ranks, "ranks of files that do not say them");
  verb.add_option("--nodes", args->gather.nodes, "nodes of files that do not say them");
  verb.add_option("--gpu", args->gather.gpu, "GPU of files that do not say it");
  verb.add_option("--nccl", args->gather.ncclVersion, "NCCL version of files that do not say it");
  verb.add_option("--allowed-loss", args->allowedLoss,
                  "share of time the policy may lose against the default anywhere")
      ->capture_default_str();
  verb.add_flag("--quick", args->quick, "do not learn again without each size and node count");
  verb.add_flag("--cells", args->cells, "print every collective, layout and size");
  verb.add_flag("--json", args->json, "print JSON");
  verb.footer(
      "RULED counts sizes for which the policy has a rule. Where NCCL's default was not measured, it is rebuilt "
      "from\n"
      "the TUNING table of a log, and the arm that it is stands for it. LEARNED WITHOUT judges the learner: it "
      "learns\n"
      "from these data without one size, or one node count, and is judged on just that.\n"
      "Exit codes: 0 nowhere worse than the default by more than --allowed-loss, 1 worse, 2 usage, 3 bad input.");
  verb.callback([args, &exitCode] { exitCode = evalVerb(*args); });
}

}  // namespace polyrail::cli
