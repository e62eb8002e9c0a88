// SPDX-License-Identifier: Apache-2.0
// `polyrail explain`: what a policy would make NCCL choose for one collective, and why.
#include <fmt/format.h>

#include "cli/explain/log_facts.h"
#include "cli/explain/print.h"
#include "cli/output/table.h"
#include "cli/verbs.h"
#include "common/policy/policy_file.h"
#include "common/settings.h"

namespace polyrail::cli {
namespace {

struct Options {
  std::string policy, collective, bytes, nccl, log, algo, proto, registered, type, redop;
  uint64_t ranks = 0, nodes = 0, nvlDomains = 0;
  int pipeOps = 1, pool = 0, nvlsChannels = 0;
  bool json = false;
};

Result<std::string> policyPath(const Options& o) {
  if (!o.policy.empty()) return o.policy;
  const Result<SettingValue> set = readSetting(*findSetting(kSettingPolicy));
  if (!set.ok()) return set.status();
  return set.value().text.empty() ? std::string(kDefaultPolicyPath) : set.value().text;
}

Status takeCall(const Options& o, ExplainQuestion& q) {
  const auto collective = nccl::parseCollective(o.collective);
  if (!collective)
    return Status::error(
        fmt::format("--collective {}: NCCL asks a tuner about allreduce, allgather, reducescatter, "
                    "broadcast and reduce only",
                    o.collective));
  q.collective = *collective;
  if (!parseBytes(o.bytes, &q.totalBytes))
    return Status::error(fmt::format("--bytes {}: not a size; 4M, 64KiB and 8589934592 are", o.bytes));
  q.pipeOps = o.pipeOps;
  q.registered = o.registered.empty()    ? Registered::kUnknown
                 : o.registered == "yes" ? Registered::kYes
                                         : Registered::kNo;
  q.type = o.type;
  q.redop = o.redop;
  return {};
}

Status takeVersion(const Options& o, const std::optional<LogFacts>& log, ExplainQuestion& q) {
  if (log && log->version) q.version = *log->version;
  if (!o.nccl.empty()) {
    const std::optional<int> version = nccl::parseVersion(o.nccl);
    if (!version) return Status::error(fmt::format("--nccl {}: not a version of NCCL, as 2.27.7 is", o.nccl));
    q.version = *version;
  }
  q.shape.abi = tunerAbi(q.version);
  if (q.shape.abi == 0)
    return Status::error(fmt::format("NCCL {} has no tuner interface that polyrail speaks; 2.21 is the first",
                                     nccl::versionText(q.version)));
  return {};
}

Status takeShape(const Options& o, const std::optional<LogFacts>& log, ExplainQuestion& q) {
  q.shape.ranks = o.ranks > 0 ? o.ranks : log ? log->ranks.value_or(0) : 0;
  q.shape.nodes = o.nodes > 0 ? o.nodes : log ? log->nodes.value_or(0) : 0;
  if (q.shape.ranks == 0 || q.shape.nodes == 0)
    return Status::error("--ranks and --nodes are needed (a --log may say them)");
  if (q.shape.ranks < 2) return Status::error("one rank alone: NCCL copies, and asks no tuner");
  if (q.shape.nodes > q.shape.ranks)
    return Status::error(fmt::format("{} nodes for {} ranks", q.shape.nodes, q.shape.ranks));
  if (o.nvlDomains > q.shape.ranks)
    return Status::error(fmt::format("--nvl-domains {} for {} ranks", o.nvlDomains, q.shape.ranks));
  if (o.nvlDomains > 0 && q.shape.abi >= 5) {
    const uint64_t least = q.shape.ranks / o.nvlDomains;
    q.shape.nvl = NvlDomains{o.nvlDomains, least, least + (q.shape.ranks % o.nvlDomains != 0)};
  }
  return {};
}

Status takeMachine(const Options& o, const std::optional<LogFacts>& log, ExplainQuestion& q) {
  Result<nccl::EnvFilter> filter = nccl::parseEnvFilter(o.algo, o.proto, q.version);
  if (!filter.ok()) return filter.status();
  q.filter = filter.value();
  if (o.pool > 0) q.pool = o.pool;
  if (o.nvlsChannels > 0) q.nvlsChannels = o.nvlsChannels;
  if (!log) return {};
  q.table = &log->table;
  q.gpu = log->gpu;
  q.tableOrigin = differences(*log, q.shape.ranks, q.shape.nodes);
  if (!q.pool) q.pool = log->pool;
  return {};
}

int run(const Options& o) {
  const auto bad = [](const Status& s, ExitCode code) { return fail("explain", s.message(), code); };
  const Result<std::string> path = policyPath(o);
  if (!path.ok()) return bad(path.status(), kExitUsage);
  std::optional<LogFacts> log;
  if (!o.log.empty()) {
    Result<LogFacts> facts = readLogFacts(o.log);
    if (!facts.ok()) return bad(facts.status(), kExitBadInput);
    log = facts.value();
  }
  ExplainQuestion q;
  for (const Status& s : {takeCall(o, q), takeVersion(o, log, q), takeShape(o, log, q), takeMachine(o, log, q)})
    if (!s.ok()) return bad(s, kExitUsage);
  const Result<LoadedPolicy> policy = loadPolicyFile(path.value());
  if (!policy.ok()) return bad(policy.status(), kExitBadInput);
  const Result<Explanation> e = explain(policy.value().policy, q);
  if (!e.ok()) return bad(e.status(), kExitBadInput);
  const PolicyLabel label{policy.value().path, policy.value().digest, policy.value().policy.name};
  if (o.json)
    fmt::print("{}\n", explanationJson(e.value(), label).dump(2));
  else
    printExplanation(e.value(), label, stdout);
  return kExitOk;
}

}  // namespace

void attachExplain(CLI::App& verb, int& exitCode) {
  auto o = std::make_shared<Options>();
  verb.add_option("--policy", o->policy, "policy file (default: POLYRAIL_POLICY, then /etc/polyrail/policy.json)");
  verb.add_option("--collective", o->collective, "allreduce, allgather, reducescatter, broadcast or reduce")
      ->required();
  verb.add_option("--bytes", o->bytes, "size as in nccl-tests' size column: of the whole message (4M, 64KiB, 1000)")
      ->required();
  verb.add_option("--ranks", o->ranks, "ranks of the communicator (default: from --log)");
  verb.add_option("--nodes", o->nodes, "nodes of the communicator (default: from --log)");
  verb.add_option("--nvl-domains", o->nvlDomains, "NVLink domains of the communicator (default: not known)");
  verb.add_option("--pipe-ops", o->pipeOps, "operations a channel has to do in one NCCL group")
      ->check(CLI::Range(1, 1 << 20));
  verb.add_option("--reg-buff", o->registered, "whether the buffers are registered (default: not known)")
      ->check(CLI::IsMember({"yes", "no"}))
      ->expected(0, 1)
      ->default_str("yes");
  verb.add_option("--nccl", o->nccl, "version of NCCL (default: from --log, else 2.30.7)");
  verb.add_option("--log", o->log,
                  "log with NCCL's cost table (NCCL_DEBUG_SUBSYS=INIT,ENV,TUNING): shows NCCL's own "
                  "choice and what the machine allows");
  verb.add_option("--algo", o->algo, "reckon with this NCCL_ALGO");
  verb.add_option("--proto", o->proto, "reckon with this NCCL_PROTO");
  verb.add_option("--type", o->type, "element type as nccl-tests names it: NVLS is not for all")
      ->check(CLI::IsMember({"int8", "uint8", "int32", "uint32", "int64", "uint64", "half", "float", "double",
                             "bfloat16", "f8e4m3", "f8e5m2"}));
  verb.add_option("--redop", o->redop, "reduction as nccl-tests names it: NVLS and PAT are not for all")
      ->check(CLI::IsMember({"sum", "prod", "max", "min", "avg", "mulsum"}));
  verb.add_option("--pool", o->pool, "channels of the communicator (default: from --log, else from the policy)")
      ->check(CLI::Range(1, nccl::kMaxChannels));
  verb.add_option("--nvls-channels", o->nvlsChannels, "channels of NVLS (default: 16)")
      ->check(CLI::Range(1, nccl::kMaxChannels));
  verb.add_flag("--json", o->json, "print JSON");
  verb.footer(
      "Example: polyrail explain --policy policy.json --collective allreduce --bytes 4M --ranks 32 --nodes 4\n"
      "The choice comes from the plugin's own code. Exit code 0 also when no rule fits: NCCL then decides.");
  verb.callback([o, &exitCode] { exitCode = run(*o); });
}

}  // namespace polyrail::cli
