// SPDX-License-Identifier: Apache-2.0
// Data loaders fork: a child must leave its parent's NICs alone, also when it runs destructors, and can open its own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/device/open_device.h"
#include "test/emu/core/world.h"
#include "test/emu/verbs/simulation.h"
#include "test/emu/verbs/verbs_table.h"

namespace polyrail::net {
namespace {

int closed = 0, forkInits = 0;
int countedClose(ibv_context* context) {
  closed++;
  return ibv_close_device(context);
}
int countedForkInit() { return forkInits++, 0; }
ibv_fork_status unneeded() { return IBV_FORK_UNNEEDED; }
ibv_fork_status disabled() { return IBV_FORK_DISABLED; }

class Fork : public testing::Test {
 protected:
  Fork() {
    closed = forkInits = 0;
    verbs_.closeDevice = countedClose;
    verbs_.forkInit = countedForkInit;
  }
  // The exit status of a child that runs `work`.
  template <typename Work>
  int child(Work work) {
    const pid_t pid = fork();
    if (pid == 0) _exit(work() ? 0 : 1);
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  emu::Simulation sim_{emu::defaultFabric()};
  Verbs verbs_ = emu::emulatedVerbs();
};

TEST_F(Fork, TheChildLeavesTheParentsDevicesAlone) {
  std::shared_ptr<OpenDevice> device = OpenDevice::open(verbs_, "emu0").value();
  const int inherited = child([&] {
    device.reset();
    return closed == 0;
  });
  EXPECT_EQ(inherited, 0);
  const int own = child([&] {
    const auto mine = OpenDevice::open(verbs_, "emu0");
    return mine.ok() && mine.value() != device;
  });
  EXPECT_EQ(own, 0);
  EXPECT_EQ(closed, 0);
  device.reset();
  EXPECT_EQ(closed, 1);
}

// With kernels before 5.12 a fork would take registered pages from the parent, which ibv_fork_init prevents.
TEST_F(Fork, VerbsIsToldOfForksOnlyWhereItMust) {
  verbs_.isForkInitialized = unneeded;
  OpenDevice::open(verbs_, "emu0").value().reset();
  EXPECT_EQ(forkInits, 0);
  verbs_.isForkInitialized = disabled;
  OpenDevice::open(verbs_, "emu0").value().reset();
  EXPECT_EQ(forkInits, 1);
  verbs_.isForkInitialized = nullptr;  // a library too old to say
  OpenDevice::open(verbs_, "emu0").value().reset();
  EXPECT_EQ(forkInits, 2);
}

}  // namespace
}  // namespace polyrail::net
