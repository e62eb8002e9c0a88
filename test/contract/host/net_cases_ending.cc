// SPDX-License-Identifier: Apache-2.0
// Cases of an end before the end: an abort with requests in flight, a peer that died.
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

TrafficPlan bothWays() {
  TrafficPlan plan;
  addLinks(plan, 0, 1, 2, 20'000, 64 << 10);
  addLinks(plan, 1, 0, 2, 20'000, 64 << 10);
  return plan;
}

// Ends the traffic in its middle, then closes: true data up to there, and no close that waits for the peer. A result
// other than success is what NCCL expects of a comm whose peer went.
void abortInFlight(NetRank& rank, Meeting& meeting, milliseconds after) {
  if (rank.join() && rank.connectAll()) {
    rank.prepareBuffers();
    const auto end = std::chrono::steady_clock::now() + after;
    if (meeting.waitForAll()) rank.moveData([&] { return std::chrono::steady_clock::now() > end; });
  }
  rank.closeAll();
  rank.leave();
}

// The other end is gone, says the network (remote error) or the system; any other word blames this process.
bool isExpected(const std::string& fault) {
  const bool data = fault.starts_with("isend returned") || fault.starts_with("irecv returned") ||
                    fault.starts_with("iflush returned") || fault.starts_with("test of");
  return data && (fault.ends_with(" 6") || fault.ends_with(" 2"));
}

void copyUnexpected(const Meeting& meeting, Faults& faults) {
  std::string text = meeting.faults.text(), line;
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    if (line = text.substr(begin, end - begin); !isExpected(line)) faults.add(line);
}

std::string closeInFlight(const CaseContext& context, Faults& faults) {
  auto host = NetHost::load(context.plugin, context.abi, context.fused);
  if (!host.ok()) return faults.add(host.message()), "";
  const TrafficPlan plan = bothWays();
  const Meeting::Owner meeting = Meeting::arrange(plan.ranks, context.patience);
  std::vector<std::thread> ranks;
  for (int r = 0; r < plan.ranks; r++)
    ranks.emplace_back([&, r] {
      NetRank rank(*host.value(), *meeting, plan, r);
      abortInFlight(rank, *meeting, milliseconds(r == 0 ? 100 : 250));
    });
  for (std::thread& rank : ranks) rank.join();
  host.value()->unload();
  copyUnexpected(*meeting, faults);
  return "";
}

pid_t forkRank(const CaseContext& context, const TrafficPlan& plan, Meeting& meeting, int number) {
  const pid_t child = fork();
  if (child != 0) return child;
  enterRank(context, number);
  auto host = NetHost::load(context.plugin, context.abi, context.fused);
  if (!host.ok()) {
    meeting.faults.add(host.message());
    _exit(0);
  }
  NetRank rank(*host.value(), meeting, plan, number);
  abortInFlight(rank, meeting, number == 0 ? milliseconds(5000) : milliseconds(800));
  host.value()->unload();
  _exit(0);
}

// The peer goes in the middle of the traffic; the other one notices or not, aborts after a while and closes.
void losePeer(const CaseContext& context, int how, Faults& faults) {
  const TrafficPlan plan = bothWays();
  const Meeting::Owner meeting = Meeting::arrange(plan.ranks, context.patience);
  const pid_t victim = forkRank(context, plan, *meeting, 0), survivor = forkRank(context, plan, *meeting, 1);
  while (!meeting->haveMet() && !meeting->over()) std::this_thread::sleep_for(milliseconds(5));
  std::this_thread::sleep_for(milliseconds(200));
  kill(victim, how);
  int status = 0;
  waitpid(survivor, &status, 0);
  kill(victim, SIGKILL);
  waitpid(victim, nullptr, 0);
  if (WIFSIGNALED(status)) faults.add(fmt::format("the survivor died of signal {}", WTERMSIG(status)));
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    faults.add(fmt::format("the survivor ended with status {}", WEXITSTATUS(status)));
  copyUnexpected(*meeting, faults);
}

std::string peerDies(const CaseContext& context, Faults& faults) {
  losePeer(context, SIGKILL, faults);
  return "";
}

std::string peerFreezes(const CaseContext& context, Faults& faults) {
  losePeer(context, SIGSTOP, faults);
  return "";
}

constexpr NetCase kCases[] = {
    {"close-in-flight", "close with requests outstanding, the peer still there: bounded, nothing wrong written",
     closeInFlight},
    {"peer-dies", "a killed peer: no crash, no wrong data, a remote or system error, a bounded close", peerDies},
    {"peer-freezes", "a peer that stands still: no crash, and close does not wait for it", peerFreezes},
};

}  // namespace

std::span<const NetCase> endingCases() { return kCases; }

}  // namespace polyrail::contract
