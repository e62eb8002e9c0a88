// SPDX-License-Identifier: Apache-2.0
#include "cli/top/screen.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "common/clock.h"

namespace polyrail::cli {
namespace {

// xterm's control sequences, which every terminal in use knows.
constexpr char kEnter[] = "\x1b[?1049h\x1b[?25l", kLeave[] = "\x1b[?25h\x1b[?1049l";
constexpr char kHome[] = "\x1b[H", kEraseLine[] = "\x1b[K", kEraseBelow[] = "\n\x1b[J";

bool canMoveCursor() {
  const char* term = std::getenv("TERM");
  if (!term || !*term || std::strcmp(term, "dumb") == 0 || isatty(STDOUT_FILENO) != 1) return false;
  const pid_t foreground = tcgetpgrp(STDOUT_FILENO);
  return foreground < 0 || foreground == getpgrp();
}

Status wrote(bool all) {
  if (all && std::fflush(stdout) == 0) return {};
  return Status::error(std::string("cannot write to standard output: ") + std::strerror(errno));
}

}  // namespace

std::string clipped(const std::string& line, size_t columns) {
  std::string out;
  size_t used = 0;
  bool escape = false, painted = false;
  for (const char c : line) {
    if (c == '\x1b') escape = painted = true;
    const bool visible = !escape && (c & 0xC0) != 0x80;
    if (visible && used == columns) return painted ? out + "\x1b[0m" : out;
    used += visible;
    out += c;
    if (escape && std::isalpha(static_cast<unsigned char>(c))) escape = false;
  }
  return out;
}

Screen::Screen(bool live) : live_(live && canMoveCursor()) {
  sigset_t mine;
  sigemptyset(&mine);
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&mine, s);
  if (live_)
    for (const int s : {SIGWINCH, SIGTSTP}) sigaddset(&mine, s);
  sigprocmask(SIG_BLOCK, &mine, &formerMask_);
  signals_ = signalfd(-1, &mine, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals_ < 0) sigprocmask(SIG_SETMASK, &formerMask_, nullptr);
  if (live_) enter();
}

Screen::~Screen() {
  if (live_) leave();
  if (signals_ >= 0) ::close(signals_);
  sigprocmask(SIG_SETMASK, &formerMask_, nullptr);
}

void Screen::enter() {
  // Standard input may be no terminal, or another's: then no keys are read.
  keys_ = isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp() &&
          tcgetattr(STDIN_FILENO, &formerTerminal_) == 0;
  if (keys_) {
    termios quiet = formerTerminal_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    quiet.c_cc[VMIN] = 0, quiet.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet);
  }
  fmt::print("{}", kEnter);
  std::fflush(stdout);
}

void Screen::leave() {
  fmt::print("{}", kLeave);
  std::fflush(stdout);
  if (keys_) tcsetattr(STDIN_FILENO, TCSADRAIN, &formerTerminal_);
}

// As ^Z would have; the shell gets its terminal back meanwhile.
void Screen::stop() {
  leave();
  ::kill(getpid(), SIGSTOP);
  enter();
}

Screen::Size Screen::size() const {
  winsize w{};
  if (!live_ || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0) return {};
  return {w.ws_col, w.ws_row};
}

Status Screen::show(const std::vector<std::string>& lines) {
  const Size room = size();
  // A terminal that scrolled would lose its first line: the last of its lines gets no line feed.
  const size_t shown = room.lines ? std::min(lines.size(), room.lines) : lines.size();
  std::string text = live_ ? kHome : "";
  for (size_t i = 0; i < shown; i++) {
    // Erased first: behind a line as wide as the terminal it would take its last character.
    if (live_) text += kEraseLine;
    text += room.columns ? clipped(lines[i], room.columns) : lines[i];
    if (!live_ || i + 1 < shown) text += '\n';
  }
  if (live_ && shown < room.lines) text += kEraseBelow;
  return wrote(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
}

Screen::Wake Screen::wait(int64_t deadlineNs) {
  const RealClock clock;
  for (;;) {
    const int64_t left = deadlineNs - clock.nowNs();
    if (left <= 0) return Wake::kTime;
    pollfd sources[] = {{signals_, POLLIN, 0}, {keys_ ? STDIN_FILENO : -1, POLLIN, 0}};
    const int ready = ::poll(sources, 2, static_cast<int>(std::min<int64_t>(left / 1'000'000 + 1, 60'000)));
    if (ready < 0 && errno != EINTR) return Wake::kEnd;
    if (ready <= 0) continue;
    Wake woken = sources[0].revents ? onSignal() : Wake::kTime;
    if (woken == Wake::kTime && sources[1].revents) woken = onKey();
    if (woken != Wake::kTime) return woken;
  }
}

Screen::Wake Screen::onSignal() {
  signalfd_siginfo signal{};
  if (::read(signals_, &signal, sizeof signal) != sizeof signal) return Wake::kTime;
  if (signal.ssi_signo != SIGWINCH && signal.ssi_signo != SIGTSTP) return Wake::kEnd;
  if (signal.ssi_signo == SIGTSTP) stop();
  return Wake::kResize;
}

Screen::Wake Screen::onKey() {
  char key = 0;
  const ssize_t n = ::read(STDIN_FILENO, &key, 1);
  const bool hungUp = n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
  return hungUp || (n == 1 && (key == 'q' || key == 'Q')) ? Wake::kEnd : Wake::kTime;
}

}  // namespace polyrail::cli
