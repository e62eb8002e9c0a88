// SPDX-License-Identifier: Apache-2.0
// Files in a folder as processes leave them: running, ended, and of strangers.
#include "cli/top/gather.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/unit/net-telemetry/sample_file.h"
#include "test/unit/temp_dir.h"

namespace polyrail::cli {
namespace {

using polyrail::test::TempDir;
using testing::ElementsAre;
using testing::HasSubstr;

// A process that holds a file as one with the plugin does, until it is destroyed.
class Holder {
 public:
  explicit Holder(const std::string& file) {
    int ready[2];
    if (pipe(ready) != 0) ADD_FAILURE();
    child_ = fork();
    if (child_ == 0) {
      const int fd = open(file.c_str(), O_RDWR);
      struct flock lock {};
      lock.l_type = F_WRLCK;
      const char held = fcntl(fd, F_SETLK, &lock) == 0 ? 'y' : 'n';
      if (write(ready[1], &held, 1) != 1) _exit(1);
      pause();
      _exit(0);
    }
    char held = 0;
    EXPECT_EQ(read(ready[0], &held, 1), 1);
    EXPECT_EQ(held, 'y');
    close(ready[0]), close(ready[1]);
  }
  ~Holder() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

 private:
  pid_t child_ = -1;
};

TEST(Gather, ReadsWhatRunsAndNotesWhatDoesNot) {
  const TempDir dir;
  const std::string running = dir.write("polyrail.4711.a", net::SampleFile().bytes());
  const std::string ended = dir.write("polyrail.1.b", net::SampleFile().bytes());
  dir.write("polyrail.2.c", "something else");
  dir.write("another", "not ours");
  const Holder holder(running);
  const TopSample s = gatherSample(dir.file(""), 5);
  EXPECT_EQ(s.timeNs, 5);
  ASSERT_EQ(s.processes.size(), 1u);
  EXPECT_EQ(s.processes[0].pid, 4711);
  EXPECT_EQ(s.processes[0].rank, 3);
  EXPECT_EQ(s.processes[0].comms, 1u);
  EXPECT_EQ(s.processes[0].rails[1].name, "emu1:1");
  EXPECT_EQ(s.processes[0].rails[1].bytesSent, 101u);
  EXPECT_EQ(s.processes[0].paths[1].rail, "emu1:1");
  EXPECT_TRUE(s.processes[0].paths[1].sends);
  EXPECT_THAT(s.ended, ElementsAre(HasSubstr("polyrail.1.b")));
  EXPECT_THAT(s.unreadable, ElementsAre(HasSubstr("polyrail.2.c: it ends at byte 14")));
}

TEST(Gather, AFolderThatIsNotThereHasNone) { EXPECT_TRUE(gatherSample("/nowhere", 0).processes.empty()); }

TEST(Gather, ARailIsAsItsPortAndItsPathsAre) {
  const auto condition = [](net::RailState state, uint32_t paths, uint32_t live) {
    net::Snapshot s;
    s.rails.resize(1);
    s.rails[0].state = state, s.rails[0].paths = paths, s.rails[0].livePaths = live;
    return processOf(s, "").rails.at(0).condition;
  };
  EXPECT_EQ(condition(net::RailState::kUp, 0, 0), RailCondition::kUp);
  EXPECT_EQ(condition(net::RailState::kUp, 4, 4), RailCondition::kUp);
  EXPECT_EQ(condition(net::RailState::kUp, 4, 1), RailCondition::kRepairing);
  EXPECT_EQ(condition(net::RailState::kUp, 4, 0), RailCondition::kFailed);
  EXPECT_EQ(condition(net::RailState::kDown, 4, 0), RailCondition::kDown);
  EXPECT_EQ(condition(net::RailState::kLost, 4, 4), RailCondition::kLost);
}

}  // namespace
}  // namespace polyrail::cli
