// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/net_ranks.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <thread>

#include "test/contract/host/net_rank.h"

namespace polyrail::contract {
namespace {

void copyFaults(const Meeting& meeting, Faults& faults) {
  if (meeting.faults.any()) faults.add(meeting.faults.text());
}

std::unique_ptr<NetHost> load(const CaseContext& context, Faults& faults) {
  auto host = NetHost::load(context.plugin, context.abi, context.fused);
  if (host.ok()) return std::move(host).value();
  faults.add(host.message());
  return nullptr;
}

}  // namespace

void runAsThreads(const CaseContext& context, const TrafficPlan& plan, Faults& faults) {
  const std::unique_ptr<NetHost> host = load(context, faults);
  if (!host) return;
  const Meeting::Owner meeting = Meeting::arrange(plan.ranks, context.patience);
  std::vector<std::thread> ranks;
  for (int r = 0; r < plan.ranks; r++) ranks.emplace_back([&, r] { NetRank(*host, *meeting, plan, r).run(); });
  for (std::thread& rank : ranks) rank.join();
  host->unload();
  copyFaults(*meeting, faults);
}

void enterRank(const CaseContext& context, int rank) {
  for (const auto& [name, values] : context.rankEnvironment)
    setenv(name.c_str(), values[static_cast<size_t>(rank) % values.size()].c_str(), 1);
}

void runAsProcesses(const CaseContext& context, const TrafficPlan& plan, Faults& faults) {
  const Meeting::Owner meeting = Meeting::arrange(plan.ranks, context.patience);
  std::vector<pid_t> children;
  for (int r = 0; r < plan.ranks; r++) {
    const pid_t child = fork();
    if (child == 0) {
      enterRank(context, r);
      const std::unique_ptr<NetHost> host = load(context, meeting->faults);
      if (host)
        NetRank(*host, *meeting, plan, r).run();
      else
        meeting->giveUp();
      if (host) host->unload();
      _exit(0);
    }
    children.push_back(child);
  }
  for (size_t r = 0; r < children.size(); r++) {
    int status = 0;
    waitpid(children[r], &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    meeting->faults.add(fmt::format("a rank died with status {}", status));
    meeting->giveUp();
  }
  copyFaults(*meeting, faults);
}

std::vector<size_t> mixedSizes(size_t n, size_t most, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<size_t> sizes;
  for (size_t i = 0; i < n; i++) {
    const int bits = static_cast<int>(random() % 64);
    const size_t limit = bits < 60 && (most >> (bits % 24)) > 0 ? most >> (bits % 24) : most;
    sizes.push_back(i % 7 == 3 ? 0 : random() % (limit + 1));
  }
  return sizes;
}

void addLinks(TrafficPlan& plan, int from, int to, int links, size_t messages, size_t most) {
  for (int i = 0; i < links; i++) {
    LinkPlan link;
    link.from = from, link.to = to, link.seed = plan.links.size() + 1;
    link.capacity = (most + 127) / 128 * 128 + 128;
    link.subs.push_back({from, mixedSizes(messages, most, link.seed)});
    plan.links.push_back(std::move(link));
  }
}

}  // namespace polyrail::contract
