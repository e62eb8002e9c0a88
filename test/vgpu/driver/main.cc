// SPDX-License-Identifier: Apache-2.0
// vgpu-perf: runs one collective over ranks on virtual nodes and checks every element. Nodes are processes, or groups
// of processes, with a host id each (NCCL_HOSTID), so that NCCL takes the network between them; ranks of a node are
// processes or threads. Prints what nccl-tests prints. Exit status 0 when all is right.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "test/vgpu/driver/rank.h"
#include "test/vgpu/driver/report.h"

using namespace polyrail::vgpu;

namespace {

void setPlaceEnvironment(const Options& options, int rank) {
  const int node = rank / options.ranksPerNode;
  const std::string name = "n" + std::to_string(node);
  setenv("NCCL_HOSTID", name.c_str(), 1);
  setenv("EMU_HOST", name.c_str(), 1);
  const std::string own = std::to_string(rank) + ":";
  const size_t equals = options.mischief.find('=');
  if (equals == std::string::npos || options.mischief.compare(0, own.size(), own) != 0) return;
  setenv(options.mischief.substr(own.size(), equals - own.size()).c_str(), options.mischief.c_str() + equals + 1, 1);
}

// A process of `count` ranks from `first` on; NCCL is opened here, after the environment is set.
int runProcess(const Options& options, int first, int count, Shared* shared) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nothing stays behind when the parent is killed
  setPlaceEnvironment(options, first);
  Nccl nccl{};
  std::string why;
  if (!Nccl::open(&nccl, &why)) {
    fprintf(stderr, "vgpu-perf: %s\n", why.c_str());
    shared->failed.fetch_add(1);
    return 1;
  }
  int version = 0;
  nccl.getVersion(&version);
  if (first == 0) printHeader(options, version);
  std::vector<std::thread> threads;
  std::vector<char> good(static_cast<size_t>(count), 0);
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      const int rank = first + i;
      const Place place{rank, shared->ranks, rank % options.ranksPerNode};
      good[static_cast<size_t>(i)] = runRank(options, nccl, place, shared);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const char one : good) {
    if (!one) return 1;
  }
  return 0;
}

// Waits for the children until the deadline, or, as a launcher does, until `grace` after one has ended badly; then
// kills what is left. The number that did not end well.
int waitForAll(std::vector<pid_t> children, const Options& options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  auto limit = start + std::chrono::seconds(options.deadline);
  int bad = 0;
  while (!children.empty()) {
    int status = 0;
    for (size_t i = 0; i < children.size();) {
      if (waitpid(children[i], &status, WNOHANG) == children[i]) {
        const bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (!well && bad++ == 0) limit = std::min(limit, Clock::now() + std::chrono::seconds(options.grace));
        if (WIFSIGNALED(status)) fprintf(stderr, "vgpu-perf: a rank died of signal %d\n", WTERMSIG(status));
        children.erase(children.begin() + static_cast<long>(i));
      } else {
        ++i;
      }
    }
    if (Clock::now() > limit && !children.empty()) {
      const long seconds = std::chrono::duration_cast<std::chrono::seconds>(limit - start).count();
      fprintf(stderr, "vgpu-perf: %zu processes were still running after %ld s\n", children.size(), seconds);
      for (const pid_t child : children) kill(child, SIGKILL);
      for (const pid_t child : children) waitpid(child, nullptr, 0);
      return bad + static_cast<int>(children.size());
    }
    usleep(2000);
  }
  return bad;
}

}  // namespace

int main(int count, char** words) {
  Options options;
  if (!parse(count, words, &options)) return 2;
  const int ranks = options.nodes * options.ranksPerNode;
  Shared* shared = ranks <= kMaxRanks ? makeShared(ranks) : nullptr;
  if (!shared) return 2;
  const int each = options.threads ? options.ranksPerNode : 1;
  std::vector<pid_t> children;
  for (int first = 0; first < ranks; first += each) {
    const pid_t child = fork();
    if (child == 0) exit(runProcess(options, first, each, shared));
    if (child > 0) children.push_back(child);
  }
  const int bad = waitForAll(children, options);
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const bool right = printEnd(options, shared->wrong.load());
  printf("# vgpu cpu seconds %.3f\n", static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                                          static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
  return bad == 0 && right ? 0 : 1;
}
