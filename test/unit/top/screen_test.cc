// SPDX-License-Identifier: Apache-2.0
// The screen on a terminal of its own (a pty), in a child: what it writes there, and that it gives it back.
#include "cli/top/screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "common/clock.h"

namespace polyrail::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr char kEnter[] = "\x1b[?1049h\x1b[?25l", kLeave[] = "\x1b[?25h\x1b[?1049l";

// Shows three lines, waits, and exits with why it woke.
class OnTerminal {
 public:
  explicit OnTerminal(const char* type) {
    winsize size{};
    size.ws_row = 2, size.ws_col = 6;
    child_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (child_ == 0) {
      setenv("TERM", type, 1);
      _exit(beUser());
    }
  }
  ~OnTerminal() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    close(terminal_);
  }

  // All that came until `text` did; gives up after ten seconds.
  const std::string& until(const std::string& text) {
    const RealClock clock;
    const int64_t end = clock.nowNs() + 10'000'000'000;
    char bytes[512];
    while (said_.find(text) == said_.npos && clock.nowNs() < end) {
      pollfd p{terminal_, POLLIN, 0};
      if (poll(&p, 1, 100) <= 0) continue;
      const ssize_t n = read(terminal_, bytes, sizeof bytes);
      if (n <= 0) break;
      said_.append(bytes, static_cast<size_t>(n));
    }
    EXPECT_THAT(said_, HasSubstr(text));
    return said_;
  }
  void type(const std::string& keys) const {
    EXPECT_EQ(write(terminal_, keys.data(), keys.size()), ssize_t(keys.size()));
  }
  void hangUp() { close(std::exchange(terminal_, -1)); }
  void send(int signal) const { kill(child_, signal); }
  bool echoes() const {
    termios t{};
    tcgetattr(terminal_, &t);
    return (t.c_lflag & (ECHO | ICANON)) == (ECHO | ICANON);
  }
  void resize() const {
    winsize size{};
    size.ws_row = 4, size.ws_col = 4;
    ioctl(terminal_, TIOCSWINSZ, &size);
  }
  bool isStopped() const {
    int status = 0;
    return waitpid(child_, &status, WUNTRACED) == child_ && WIFSTOPPED(status);
  }
  int status() const {
    int status = 0;
    waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  static int beUser() {
    Screen screen(true);
    const int64_t end = RealClock().nowNs() + 20'000'000'000;
    for (;;) {
      if (!screen.show({"\x1b[31mfirst line\x1b[0m", "two", "three"}).ok()) return 9;
      const Screen::Wake woken = screen.wait(end);
      if (woken != Screen::Wake::kResize) return static_cast<int>(woken);
    }
  }

  int terminal_ = -1;
  pid_t child_ = -1;
  std::string said_;
};

constexpr int kEnded = static_cast<int>(Screen::Wake::kEnd);

TEST(Screen, FillsATerminalAndGivesItBack) {
  OnTerminal t("xterm");
  // Two lines of six columns: what is more is cut, and the last has no line feed.
  EXPECT_THAT(t.until("two"), StartsWith(std::string(kEnter) + "\x1b[H\x1b[K\x1b[31mfirst \x1b[0m\r\n\x1b[Ktwo"));
  EXPECT_FALSE(t.echoes());
  t.type("xq");
  EXPECT_THAT(t.until(kLeave), Not(HasSubstr("three")));
  EXPECT_EQ(t.status(), kEnded);
  EXPECT_TRUE(t.echoes());
}

TEST(Screen, SignalsGiveItBackToo) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    OnTerminal t("xterm");
    t.until("two");
    t.send(signal);
    EXPECT_THAT(t.until(kLeave), EndsWith(kLeave));
    EXPECT_EQ(t.status(), kEnded) << signal;
    EXPECT_TRUE(t.echoes()) << signal;
  }
}

TEST(Screen, WhileStoppedTheTerminalIsTheShells) {
  OnTerminal t("xterm");
  t.until("two");
  t.type("\x1a");
  t.until(kLeave);
  ASSERT_TRUE(t.isStopped());
  EXPECT_TRUE(t.echoes());
  t.send(SIGCONT);
  t.until(std::string(kLeave) + kEnter + "\x1b[H\x1b[K\x1b[31mfirst ");
  EXPECT_FALSE(t.echoes());
}

TEST(Screen, ANewSizeIsUsedAtOnce) {
  OnTerminal t("xterm");
  t.until("two");
  t.resize();
  t.until("\x1b[31mfirs\x1b[0m\r\n\x1b[Ktwo\r\n\x1b[Kthre\r\n\x1b[J");
}

TEST(Screen, OneThatCannotGetsPlainLines) {
  for (const char* type : {"dumb", ""}) {
    OnTerminal t(type);
    EXPECT_EQ(t.until("three\r\n"), "\x1b[31mfirst line\x1b[0m\r\ntwo\r\nthree\r\n");
    EXPECT_TRUE(t.echoes());
    t.send(SIGINT);
    EXPECT_EQ(t.status(), kEnded);
  }
}

TEST(Screen, OneThatHangsUpIsTheEnd) {
  OnTerminal t("xterm");
  t.until("two");
  t.hangUp();
  EXPECT_EQ(t.status(), kEnded);
}

TEST(Clipped, CountsWhatPeopleSee) {
  EXPECT_EQ(clipped("abc", 3), "abc");
  EXPECT_EQ(clipped("abcd", 3), "abc");
  EXPECT_EQ(clipped("µµµµ", 3), "µµµ");
  EXPECT_EQ(clipped("\x1b[31mabc\x1b[0m", 3), "\x1b[31mabc\x1b[0m");
  EXPECT_EQ(clipped("\x1b[31mabcd\x1b[0m", 3), "\x1b[31mabc\x1b[0m");
  EXPECT_EQ(clipped("", 0), "");
}

}  // namespace
}  // namespace polyrail::cli
