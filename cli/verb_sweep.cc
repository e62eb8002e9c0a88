// SPDX-License-Identifier: Apache-2.0
// `polyrail sweep`: measures ways to steer NCCL against its default, learns a policy from that, and verifies one.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "cli/learn/from_files.h"
#include "cli/output/json.h"
#include "cli/output/units.h"
#include "cli/output/write_file.h"
#include "cli/sweep/plan_file.h"
#include "cli/sweep/report.h"
#include "cli/sweep/run_logged.h"
#include "cli/verbs.h"
#include "common/policy/policy_file.h"

namespace polyrail::cli {
namespace {

constexpr char kVerb[] = "sweep";

// What options say; absent ones leave the plan's file as it is.
struct Given {
  std::vector<std::string> collectives, algorithms, protocols, layouts, environment;
  std::vector<int> channels;
  std::optional<std::string> minBytes, maxBytes, launcher, program, arguments;
  std::optional<int> factor, repeats, attempts, iterations, warmups;
  std::optional<double> timeout;
  bool full = false;
};

struct Arguments {
  std::string planFile, folder = "polyrail-sweep", learn, verify, tuner = "polyrail";
  Given given;
  bool json = false, dryRun = false;
};

template <typename Enum>
Status takeNames(const std::vector<std::string>& words, const char* what,
                 std::optional<Enum> (*parse)(std::string_view), std::vector<Enum>& into) {
  if (!words.empty()) into.clear();
  for (const std::string& word : words) {
    const std::optional<Enum> value = parse(word);
    if (!value) return Status::error(fmt::format("there is no {} '{}'", what, word));
    into.push_back(*value);
  }
  return {};
}

Status takeLayouts(const Given& given, sweep::Plan& plan) {
  if (!given.layouts.empty()) plan.layouts.clear();
  for (const std::string& word : given.layouts) {
    const Result<sweep::Layout> layout = sweep::parseLayout(word);
    if (!layout.ok()) return layout.status();
    plan.layouts.push_back(layout.value());
  }
  return {};
}

Status takeSizes(const Given& given, sweep::Plan& plan) {
  const std::pair<const std::optional<std::string>&, uint64_t*> sizes[] = {{given.minBytes, &plan.minBytes},
                                                                           {given.maxBytes, &plan.maxBytes}};
  for (const auto& [word, into] : sizes)
    if (word && !parseBytes(*word, into)) return Status::error(fmt::format("'{}' is no size", *word));
  return {};
}

Status takeEnvironment(const Given& given, sweep::Plan& plan) {
  for (const std::string& word : given.environment) {
    const size_t at = word.find('=');
    if (at == word.npos || at == 0) return Status::error(fmt::format("--env '{}' is not NAME=VALUE", word));
    plan.environment[word.substr(0, at)] = word.substr(at + 1);
  }
  return {};
}

template <typename T>
void takeValue(const std::optional<T>& given, T& into) {
  if (given) into = *given;
}

Status takeGiven(const Given& g, sweep::Plan& plan) {
  if (Status s = takeNames(g.collectives, "collective", nccl::parseCollective, plan.collectives); !s.ok()) return s;
  if (Status s = takeNames(g.algorithms, "algorithm", nccl::parseAlgorithm, plan.algorithms); !s.ok()) return s;
  if (Status s = takeNames(g.protocols, "protocol", nccl::parseProtocol, plan.protocols); !s.ok()) return s;
  if (Status s = takeLayouts(g, plan); !s.ok()) return s;
  if (Status s = takeSizes(g, plan); !s.ok()) return s;
  if (Status s = takeEnvironment(g, plan); !s.ok()) return s;
  if (!g.channels.empty()) plan.channels = g.channels;
  takeValue(g.launcher, plan.launcher), takeValue(g.program, plan.program), takeValue(g.arguments, plan.arguments);
  takeValue(g.factor, plan.factor), takeValue(g.repeats, plan.repeats), takeValue(g.attempts, plan.attempts);
  takeValue(g.iterations, plan.iterations), takeValue(g.warmups, plan.warmups), takeValue(g.timeout, plan.timeout);
  plan.full |= g.full;
  if (Status s = sweep::checkPlan(plan); !s.ok()) return s;
  return sweep::checkTemplates(plan);
}

int failed(const Status& status) {
  if (status.message() == sweep::kInterrupted)
    return fail(kVerb, "interrupted; the same command goes on where it was", kExitFailure);
  return fail(kVerb, status.message(), kExitFailure);
}

void clearLine() {
  if (isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r\x1b[K");
}

int measureAll(const sweep::Plan& plan, const Arguments& args, nlohmann::ordered_json& out) {
  Result<sweep::Journal> journal = sweep::Journal::open(args.folder, sweep::planJson(plan));
  if (!journal.ok()) return failed(journal.status());
  const Result<sweep::Findings> found = sweep::runCampaign(plan, journal.value(), sweep::stepTeller());
  clearLine();
  if (!found.ok()) return failed(found.status());
  if (args.json)
    out["sweep"] = sweep::toJson(found.value());
  else
    sweep::printFindings(found.value());
  for (const sweep::FieldFindings& f : found.value().fields)
    if (!f.unusable.empty())
      return fail(kVerb,
                  fmt::format("NCCL's default failed ({}); its logs are in {}/failed", f.unusable, args.folder),
                  kExitFailure);
  return kExitOk;
}

int learnFrom(const Arguments& args, nlohmann::ordered_json& out) {
  LearnRequest request;
  request.inputs = {args.folder + "/logs"};
  request.labels.learnedAt = timeStamp();
  const Result<LearnedFiles> learned = learnFromFiles(request);
  if (!learned.ok()) return fail(kVerb, learned.message(), kExitFailure);
  const std::string text = writePolicy(learned.value().policy);
  if (const Status written = writeFile(args.learn, text); !written.ok()) return failed(written);
  size_t rules = 0;
  for (const polyrail::Table& table : learned.value().policy.tables) rules += table.rules.size();
  if (args.json)
    out["policy"] = {{"file", args.learn}, {"sha256", policyDigest(text)}, {"rules", rules}};
  else
    fmt::print("{}: {} rules, sha256 {}; why: polyrail learn {}/logs\n\n", args.learn, rules, policyDigest(text),
               args.folder);
  return kExitOk;
}

int verifyIt(const sweep::Plan& plan, const Arguments& args, nlohmann::ordered_json& out) {
  const Result<LoadedPolicy> policy = loadPolicyFile(args.verify);
  if (!policy.ok()) return fail(kVerb, policy.message(), kExitBadInput);
  const sweep::VerifyRequest request{std::filesystem::absolute(args.verify).string(), policy.value().digest,
                                     args.tuner};
  const std::string folder = args.folder + "/verify-" + policy.value().digest.substr(0, 12);
  Result<sweep::Journal> journal = sweep::Journal::open(folder, sweep::planJson(plan));
  if (!journal.ok()) return failed(journal.status());
  const auto found = sweep::verifyPolicy(plan, request, journal.value(), sweep::stepTeller());
  clearLine();
  if (!found.ok()) return failed(found.status());
  if (args.json)
    out["verified"] = sweep::toJson(found.value());
  else
    sweep::printVerified(found.value());
  int code = kExitOk;
  for (const sweep::VerifiedField& f : found.value()) {
    if (!f.unusable.empty()) return kExitFailure;
    if (f.slower() > 0) code = kExitFinding;
  }
  return code;
}

int dryRun(const sweep::Plan& plan) {
  fmt::print("{}\n", jsonText(sweep::planJson(plan)));
  size_t arms = 0;
  for (const nccl::Collective c : plan.collectives) arms += sweep::armsOf(plan, c).size() + 1;
  const sweep::Start start{plan.collectives[0],
                           plan.layouts[0],
                           plan.minBytes,
                           plan.maxBytes,
                           static_cast<uint64_t>(plan.factor),
                           sweep::settingsOf(sweep::armsOf(plan, plan.collectives[0])[0])};
  fmt::print("{} sizes, {} ways to run (NCCL's default among them) on {} layouts; one run:\n{}\n",
             sweep::sizesOf(plan).size(), arms, plan.layouts.size(), sweep::commandLine(plan, start));
  return kExitOk;
}

int sweepVerb(const Arguments& args) {
  sweep::Plan plan;
  if (!args.planFile.empty()) {
    Result<sweep::Plan> read = sweep::loadPlan(args.planFile);
    if (!read.ok()) return fail(kVerb, read.message(), kExitBadInput);
    plan = std::move(read).value();
  }
  if (const Status s = takeGiven(args.given, plan); !s.ok()) return fail(kVerb, s.message(), kExitUsage);
  if (args.dryRun) return dryRun(plan);
  const sweep::Interruptible interruptible;
  nlohmann::ordered_json out;
  int code = kExitOk;
  if (args.verify.empty() || !args.learn.empty()) code = measureAll(plan, args, out);
  if (code == kExitOk && !args.learn.empty()) code = learnFrom(args, out);
  if (code == kExitOk && !args.verify.empty()) code = verifyIt(plan, args, out);
  if (args.json && !out.is_null()) fmt::print("{}\n", jsonText(out));
  return code;
}

void addGrid(CLI::App& verb, Given& g) {
  verb.add_option("--collectives", g.collectives, "allreduce, allgather, ... (default: allreduce)")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb.add_option("--layouts", g.layouts, "NODESxRANKS of each node, as 2x8,4x8")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb.add_option("--min", g.minBytes, "smallest size, nccl-tests' -b (default: 1K)")->type_name("SIZE");
  verb.add_option("--max", g.maxBytes, "largest size, nccl-tests' -e (default: 1G)")->type_name("SIZE");
  verb.add_option("--factor", g.factor, "from size to size, nccl-tests' -f (default: 2)")->type_name("N");
  verb.add_option("--algorithms", g.algorithms, "to try (default: tree,ring)")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb.add_option("--protocols", g.protocols, "to try (default: ll,ll128,simple)")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb.add_option("--channels", g.channels, "channel counts to try; 0 is NCCL's own (default: 0)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST");
  verb.add_option("--repeats", g.repeats, "runs of what stays in the race (default: 5)")->type_name("N");
  verb.add_flag("--full", g.full, "measure every combination at every size, without a race");
}

void addRuns(CLI::App& verb, Given& g) {
  verb.add_option(
      "--launcher", g.launcher,
      "local, mpirun, srun, torchrun, or a template for the shell with {program} and {args}, and {nodes}, "
      "{ranks}, {ppn}, {env}, {exports}, {test} (default: local)");
  verb.add_option("--program", g.program, "the benchmark (default: {test}_perf)");
  verb.add_option("--arguments", g.arguments, "more arguments for it");
  verb.add_option("--env", g.environment, "NAME=VALUE for every run; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  verb.add_option("--iterations", g.iterations, "nccl-tests' -n (default: 20)")->type_name("N");
  verb.add_option("--warmup", g.warmups, "nccl-tests' -w (default: 5)")->type_name("N");
  verb.add_option("--timeout", g.timeout, "seconds after which a run is ended and counts as failed (default: 600)")
      ->type_name("S");
  verb.add_option("--attempts", g.attempts, "failures in a row after which a combination is given up (default: 2)")
      ->type_name("N");
}

}  // namespace

void attachSweep(CLI::App& verb, int& exitCode) {
  auto args = std::make_shared<Arguments>();
  verb.add_option("PLAN", args->planFile, "plan as JSON (docs/sweep.md); options override it");
  verb.add_option("--folder", args->folder, "where logs and the journal are kept; a killed sweep goes on from there")
      ->capture_default_str();
  addGrid(verb, args->given);
  addRuns(verb, args->given);
  verb.add_option("--learn", args->learn, "then learn a policy from the logs and write it here");
  verb.add_option("--verify", args->verify,
                  "measure this policy beside NCCL's default and say what it gains; without --learn, do only that");
  verb.add_option("--tuner", args->tuner, "with --verify: NCCL_TUNER_PLUGIN")->capture_default_str();
  verb.add_flag("--dry-run", args->dryRun, "show the whole plan and one command line, and run nothing");
  verb.add_flag("--json", args->json, "print JSON");
  verb.footer(
      "Each measurement is one run of the benchmark, with NCCL_ALGO, NCCL_PROTO, NCCL_MIN_NCHANNELS and\n"
      "NCCL_MAX_NCHANNELS set or, for the default, not set. What is clearly slower is dropped early.\n"
      "Examples: polyrail sweep --layouts 1x8 --learn policy.json\n"
      "          polyrail sweep --layouts 2x8,4x8 --launcher srun --collectives allreduce,allgather --learn p.json\n"
      "          polyrail sweep --layouts 2x8 --launcher srun --verify policy.json\n"
      "Exit codes: 0 done, 1 the policy is slower somewhere, 2 usage, 3 bad plan or policy, 4 no result.");
  verb.callback([args, &exitCode] { exitCode = sweepVerb(*args); });
}

}  // namespace polyrail::cli
