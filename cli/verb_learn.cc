// SPDX-License-Identifier: Apache-2.0
// `polyrail learn`: measurements in, a policy out, with the reason for every choice and every abstention.
#include <fmt/format.h>

#include "cli/learn/from_files.h"
#include "cli/learn/report.h"
#include "cli/output/json.h"
#include "cli/output/table.h"
#include "cli/output/write_file.h"
#include "cli/verbs.h"
#include "common/policy/policy_file.h"

namespace polyrail::cli {
namespace {

struct Arguments : LearnRequest {
  std::string output;
  bool json = false;
};

size_t rulesOf(const Policy& policy) {
  size_t rules = 0;
  for (const polyrail::Table& table : policy.tables) rules += table.rules.size();
  return rules;
}

std::string plural(size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

void printHuman(const Arguments& args, const LearnedFiles& out, const std::string& digest) {
  fmt::print("{} in {}: {}\n", plural(out.gathered.rows, "row"), plural(out.gathered.files.size(), "file"),
             describe(out.context));
  printLearned(out.learned, wantsColour(stdout));
  if (!out.notes.empty()) fmt::print("\nLeft aside:\n");
  for (const std::string& note : out.notes) fmt::print("  {}\n", note);
  const size_t rules = rulesOf(out.policy);
  if (rules == 0) fmt::print("\nThese measurements justify no rule: NCCL's default stays everywhere.\n");
  if (!args.output.empty())
    fmt::print("\n{}: {} in {}, sha256 {}\n", args.output, plural(rules, "rule"),
               plural(out.policy.tables.size(), "table"), digest);
}

void printJson(const Arguments& args, const LearnedFiles& out, const std::string& digest) {
  nlohmann::ordered_json all = asJson(out.learned);
  all["context"] = describe(out.context);
  all["files"] = out.gathered.files.size();
  all["rows"] = out.gathered.rows;
  all["notes"] = out.notes;
  all["rules"] = rulesOf(out.policy);
  if (!args.output.empty()) all["policy"] = {{"file", args.output}, {"sha256", digest}};
  fmt::print("{}\n", jsonText(all));
}

int learnVerb(Arguments& args) {
  if (args.inputs.empty() && args.gather.store.empty())
    return fail("learn", "give files or folders with nccl-tests output, or a store; `polyrail learn --help`",
                kExitUsage);
  if (args.labels.learnedAt.empty()) args.labels.learnedAt = timeStamp();
  const Result<LearnedFiles> done = learnFromFiles(args);
  if (!done.ok()) return fail("learn", done.message(), kExitBadInput);
  const std::string text = writePolicy(done.value().policy);
  if (!args.output.empty()) {
    const Status written = writeFile(args.output, text);
    if (!written.ok()) return fail("learn", written.message(), kExitFailure);
  }
  (args.json ? printJson : printHuman)(args, done.value(), policyDigest(text));
  return kExitOk;
}

void addWhat(CLI::App& verb, Arguments& args) {
  verb.add_option("INPUT", args.inputs, "nccl-tests output (text or JSON), folders of it, or baseline stores");
  verb.add_option("-o,--output", args.output, "write the policy here; without it, only show what would be learned");
  verb.add_option("--store", args.gather.store,
                  "keep what is read in this baseline store (SQLite), and learn from all that is in it");
  verb.add_option("--campaign", args.gather.label, "a name for the conditions under which these files were measured");
  verb.add_option("--context", args.context,
                  "learn only from the context that contains this text (GPU, NCCL version, network, campaign)");
}

void addHow(CLI::App& verb, Arguments& args) {
  verb.add_option("--ranks", args.gather.ranks, "ranks of files that do not say them");
  verb.add_option("--nodes", args.gather.nodes, "nodes of files that do not say them");
  verb.add_option("--gpu", args.gather.gpu, "GPU of files that do not say it");
  verb.add_option("--nccl", args.gather.ncclVersion, "NCCL version of files that do not say it");
  verb.add_option("--min-gain", args.learn.minimumGain, "share of time a choice must save for certain")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 0.9));
  verb.add_option("--confidence", args.learn.confidence, "of all statements about one collective and layout together")
      ->capture_default_str()
      ->check(CLI::Range(0.5, 0.999));
  verb.add_option("--max-rules", args.learn.maxRules, "per collective and layout")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  verb.add_flag("--allgather-channels", args.learn.allGatherChannels,
                "let rules set AllGather's channels; only where no program groups broadcasts (AllGatherV)");
}

void addLabels(CLI::App& verb, Arguments& args) {
  verb.add_option("--name", args.labels.name, "name of the policy");
  verb.add_option("--cluster", args.labels.cluster, "cluster it was measured on");
  verb.add_option("--nic", args.labels.nic, "NIC it was measured on");
  verb.add_option("--learned-at", args.labels.learnedAt,
                  "time stamp, ISO 8601 UTC; default: SOURCE_DATE_EPOCH if set, else now");
  verb.add_flag("--json", args.json, "print JSON");
}

}  // namespace

void attachLearn(CLI::App& verb, int& exitCode) {
  auto args = std::make_shared<Arguments>();
  addWhat(verb, *args);
  addHow(verb, *args);
  addLabels(verb, *args);
  verb.footer(
      "A choice is taken over NCCL's default only where the lower bound of the time it saves exceeds both "
      "--min-gain\n"
      "and what these measurements can detect; docs/learning.md says how. Measure the default (nothing forced) "
      "beside\n"
      "each choice (NCCL_ALGO, NCCL_PROTO, NCCL_MIN_NCHANNELS=NCCL_MAX_NCHANNELS), five runs each, #wrong checked,\n"
      "with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,TUNING in the environment.\n"
      "Exit codes: 0 learned (perhaps that nothing beats the default), 2 usage, 3 bad input, 4 cannot write.");
  verb.callback([args, &exitCode] { exitCode = learnVerb(*args); });
}

}  // namespace polyrail::cli
