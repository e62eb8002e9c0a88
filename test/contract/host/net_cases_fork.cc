// SPDX-License-Identifier: Apache-2.0
// A process that forks while data move, as data loaders do: the child has the parent's memory and descriptors, runs
// on, and ends like any program. NCCL's own transport bears that (ibv_fork_init in src/transport/net_ib, 2.30.7).
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "test/contract/host/net_rank.h"
#include "test/contract/host/net_ranks.h"

namespace polyrail::contract {
namespace {

using std::chrono::milliseconds;

constexpr int kChildren = 12;

// Writes to memory that it shares with the parent until then, and ends: half of the children by exit(), which runs
// the destructors of every library. A sanitizer would then report what the parent's other threads hold.
[[noreturn]] void beChild(int number, std::vector<char>& shared) {
  for (size_t i = 0; i < shared.size(); i += 4096) shared[i]++;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  if (number % 2) exit(0);
#endif
  _exit(number < 0);
}

void awaitChild(pid_t child, milliseconds patience, Faults& faults) {
  const auto end = std::chrono::steady_clock::now() + patience;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    std::this_thread::sleep_for(milliseconds(1));
    if (std::chrono::steady_clock::now() < end) continue;
    faults.add("a forked child does not end");
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return;
  }
  if (status != 0) faults.add(fmt::format("a forked child ended with wait status {:#x}", status));
}

void forkSome(const CaseContext& context, Meeting& meeting) {
  std::vector<char> shared(1 << 20);
  if (!meeting.waitForAll()) return;
  for (int i = 0; i < kChildren && !meeting.over(); i++) {
    const pid_t child = fork();
    if (child == 0) beChild(i, shared);
    awaitChild(child, context.patience, meeting.faults);
  }
}

std::string forkInTraffic(const CaseContext& context, Faults& faults) {
  auto host = NetHost::load(context.plugin, context.abi, context.fused);
  if (!host.ok()) return faults.add(host.message()), "";
  TrafficPlan plan;
  addLinks(plan, 0, 1, 2, context.messages(4000), 64 << 10);
  addLinks(plan, 1, 0, 2, context.messages(4000), 64 << 10);
  const Meeting::Owner meeting = Meeting::arrange(plan.ranks + 1, context.patience);
  std::vector<std::thread> ranks;
  for (int r = 0; r < plan.ranks; r++)
    ranks.emplace_back([&, r] {
      NetRank rank(*host.value(), *meeting, plan, r);
      if (rank.join() && rank.connectAll()) {
        rank.prepareBuffers();
        if (meeting->waitForAll() && !rank.moveData()) meeting->faults.add("not all data were moved");
      }
      rank.closeAll();
      rank.leave();
    });
  forkSome(context, *meeting);
  for (std::thread& rank : ranks) rank.join();
  host.value()->unload();
  if (meeting->faults.any()) faults.add(meeting->faults.text());
  return "";
}

constexpr NetCase kCases[] = {
    {"fork", "children forked in mid-traffic: they end, and the parent's data stay true", forkInTraffic},
};

}  // namespace

std::span<const NetCase> forkCases() { return kCases; }

}  // namespace polyrail::contract
