// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>

#include "cli/deploy/launcher.h"

namespace polyrail::sweep {
namespace {

struct Preset {
  const char *name, *text;
};
constexpr Preset kPresets[] = {
    {"local", "env {env} {program} {args} -g {ranks}"},
    {"mpirun", "env {env} mpirun -np {ranks} --map-by ppr:{ppn}:node {exports} {program} {args}"},
    {"srun", "env {env} srun --export=ALL --nodes={nodes} --ntasks={ranks} --ntasks-per-node={ppn} {program} {args}"},
    {"torchrun", "env {env} torchrun --nnodes={nodes} --nproc-per-node={ppn} --no-python {program} {args}"},
};

// nccl-tests' names, by Collective.
constexpr const char* kTests[nccl::kNumCollectives] = {"broadcast", "reduce", "all_gather", "reduce_scatter",
                                                       "all_reduce"};

std::string templateOf(const std::string& launcher) {
  for (const Preset& p : kPresets)
    if (launcher == p.name) return p.text;
  return launcher;
}

// Calls put(name) for each {name}; what it returns stands in its place and is not looked at again.
std::string expand(const std::string& text, const std::function<std::string(const std::string&)>& put) {
  std::string out;
  for (size_t at = 0; at < text.size(); at++) {
    const size_t end = text[at] == '{' ? text.find('}', at) : text.npos;
    if (end == text.npos || (at > 0 && text[at - 1] == '$')) {
      out += text[at];
      continue;
    }
    out += put(text.substr(at + 1, end - at - 1));
    at = end;
  }
  return out;
}

std::string shellWord(const std::string& word) {
  if (cli::isPlainWord(word)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Later settings take the place of earlier ones of the same name, as env does it.
Settings allSettings(const Plan& plan, const Start& start) {
  Settings all = {{"NCCL_DEBUG", "INFO"}, {"NCCL_DEBUG_SUBSYS", "INIT,ENV,TUNING"}, {"POLYRAIL_POLICY", "none"}};
  all.insert(all.end(), plan.environment.begin(), plan.environment.end());
  all.insert(all.end(), start.settings.begin(), start.settings.end());
  return all;
}

std::string envText(const Settings& settings) {
  std::vector<std::string> words;
  for (const auto& [name, value] : settings) words.push_back(name + "=" + shellWord(value));
  return fmt::format("{}", fmt::join(words, " "));
}

std::string exportText(const Settings& settings) {
  std::vector<std::string> words;
  for (const auto& setting : settings) words.push_back("-x " + setting.first);
  return fmt::format("{}", fmt::join(words, " "));
}

std::string argumentsOf(const Plan& plan, const Start& s) {
  std::string text =
      fmt::format("-b {} -e {} -f {} -n {} -w {} -c 1", s.first, s.last, s.factor, plan.iterations, plan.warmups);
  return plan.arguments.empty() ? text : text + " " + plan.arguments;
}

constexpr const char* kNames[] = {"program", "args", "nodes", "ranks", "ppn", "env", "exports", "test"};

Status checkNames(const std::string& text, const char* where) {
  Status status;
  expand(text, [&](const std::string& name) {
    for (const char* known : kNames)
      if (name == known) return std::string();
    status = Status::error(fmt::format("{}: {{{}}} is none of {{{}}}", where, name, fmt::join(kNames, "}, {")));
    return std::string();
  });
  return status;
}

}  // namespace

Status checkTemplates(const Plan& plan) {
  const std::string text = templateOf(plan.launcher);
  for (const char* needed : {"{program}", "{args}"})
    if (text.find(needed) == text.npos)
      return Status::error(
          fmt::format("launcher: '{}' is none of local, mpirun, srun, torchrun, nor a template with {{program}} and "
                      "{{args}}",
                      plan.launcher));
  if (Status s = checkNames(text, "launcher"); !s.ok()) return s;
  if (Status s = checkNames(plan.program, "program"); !s.ok()) return s;
  for (const Layout& l : plan.layouts)
    if (plan.launcher == "local" && l.nodes != 1)
      return Status::error(fmt::format("layouts: {} needs a launcher for several nodes, --launcher", describe(l)));
  return {};
}

std::string commandLine(const Plan& plan, const Start& start) {
  const Settings settings = allSettings(plan, start);
  const std::function<std::string(const std::string&)> put = [&](const std::string& name) -> std::string {
    if (name == "program") return expand(plan.program, put);
    if (name == "args") return argumentsOf(plan, start);
    if (name == "nodes") return std::to_string(start.layout.nodes);
    if (name == "ranks") return std::to_string(start.layout.ranks());
    if (name == "ppn") return std::to_string(start.layout.ranksPerNode);
    if (name == "env") return envText(settings);
    if (name == "exports") return exportText(settings);
    return kTests[static_cast<size_t>(start.collective)];
  };
  return expand(templateOf(plan.launcher), put);
}

Settings settingsOf(const std::optional<cli::Arm>& arm) {
  if (!arm) return {};
  Settings settings = {{"NCCL_ALGO", std::string(nccl::name(arm->algorithm))},
                       {"NCCL_PROTO", std::string(nccl::name(arm->protocol))}};
  if (arm->channels)
    for (const char* name : {"NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS"})
      settings.emplace_back(name, std::to_string(*arm->channels));
  return settings;
}

const std::vector<std::string>& steeringVariables() {
  static const std::vector<std::string> names = {"NCCL_ALGO",          "NCCL_PROTO",     "NCCL_MIN_NCHANNELS",
                                                 "NCCL_MAX_NCHANNELS", "NCCL_MIN_CTAS",  "NCCL_MAX_CTAS",
                                                 "NCCL_MIN_NRINGS",    "NCCL_MAX_NRINGS"};
  return names;
}

}  // namespace polyrail::sweep
