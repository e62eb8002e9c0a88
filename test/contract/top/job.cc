// SPDX-License-Identifier: Apache-2.0
#include "test/contract/top/job.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "test/contract/host/net_alone.h"
#include "test/contract/host/pair_traffic.h"

namespace polyrail::contract {
namespace {

constexpr std::chrono::seconds kPatience{30};

void setEnvironment(const JobPlan& plan) {
  const std::string build = std::getenv("POLYRAIL_BUILD");
  setenv("NCCL_IBVERBS_LIB", (build + "/emu/libibverbs.so.1").c_str(), 1);
  setenv("NCCL_SOCKET_IFNAME", "lo", 1);
  setenv("NCCL_NET_MERGE_LEVEL", "SYS", 1);
  setenv("POLYRAIL_TELEMETRY_DIR", plan.telemetry.c_str(), 1);
  setenv("EMU_SESSION", ("top-" + std::to_string(getpid())).c_str(), 1);
  if (!plan.faults.empty()) setenv("EMU_FAULTS", plan.faults.c_str(), 1);
}

// Returns when a message did not come.
void move(const JobPlan& plan, int tell, Faults& faults) {
  const CaseContext context{.plugin = std::string(std::getenv("POLYRAIL_BUILD")) + "/libnccl-net-polyrail.so",
                            .fused = {0, 1}};
  const Alone alone(context, faults);
  if (!alone.up()) return;
  NetPair pair(alone.host(), alone.context(), 0, kPatience, faults);
  if (!pair.up()) return;
  PairTraffic traffic(pair, Place::kHost, plan.size);
  for (size_t i = 0; i < plan.messages; i++)
    if (!traffic.exchange(plan.size, 0, kPatience)) return;
  if (write(tell, "y", 1) != 1) return;
  while (plan.goOn && traffic.exchange(plan.size, 0, kPatience))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (!plan.goOn) pause();
}

}  // namespace

Job::Job(const JobPlan& plan) {
  int ends[2];
  if (pipe(ends) != 0) ADD_FAILURE() << "pipe";
  child_ = fork();
  if (child_ == 0) {
    close(ends[0]);
    setEnvironment(plan);
    Faults faults;
    move(plan, ends[1], faults);
    fprintf(stderr, "the job: %s\n", faults.text().c_str());
    _exit(1);
  }
  close(ends[1]);
  told_ = ends[0];
}

bool Job::ready() {
  char word = 0;
  const bool good = read(told_, &word, 1) == 1 && word == 'y';
  EXPECT_TRUE(good) << "the job has ended";
  return good;
}

void Job::end() {
  if (child_ < 0) return;
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
  child_ = -1;
}

Job::~Job() {
  end();
  close(told_);
}

}  // namespace polyrail::contract
