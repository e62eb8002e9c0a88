// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/run_logged.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace polyrail::sweep {
namespace {

using Clock = std::chrono::steady_clock;
constexpr useconds_t kTickUs = 5000;
constexpr double kGrace = 2;  // seconds from SIGTERM to SIGKILL, so that a launcher can end its remote ranks

volatile sig_atomic_t signalled = 0;
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
struct sigaction before[std::size(kSignals)];

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

[[noreturn]] void become(const std::string& line, int log, const std::vector<std::string>& unset) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nothing goes on when polyrail is killed
  for (const int s : kSignals) signal(s, SIG_DFL);
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, 0), dup2(log, 1), dup2(log, 2);
  for (const std::string& name : unset) unsetenv(name.c_str());
  execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

int statusOf(int wait) { return WIFEXITED(wait) ? WEXITSTATUS(wait) : 128 + WTERMSIG(wait); }

// True when the shell has ended within `seconds`; an interruption is as good as the limit.
bool waitFor(pid_t pid, double seconds, bool heedSignals, int* status) {
  const Clock::time_point start = Clock::now();
  for (;;) {
    if (waitpid(pid, status, WNOHANG) == pid) return true;
    if (since(start) > seconds || (heedSignals && signalled)) return false;
    usleep(kTickUs);
  }
}

void follow(pid_t pid, double seconds, RunEnd& end) {
  int status = 0;
  if (!waitFor(pid, seconds, true, &status)) {
    end.interrupted = signalled != 0;
    end.timedOut = !end.interrupted;
    kill(-pid, SIGTERM);
    if (!waitFor(pid, kGrace, false, &status)) {
      kill(-pid, SIGKILL);
      waitpid(pid, &status, 0);
    }
  }
  kill(-pid, SIGKILL);  // what the shell left behind
  end.status = statusOf(status);
}

}  // namespace

RunEnd runLogged(const std::string& line, const std::string& file, const std::string& head, double seconds,
                 const std::vector<std::string>& unset) {
  RunEnd end;
  const int log = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  if (log < 0 || write(log, head.data(), head.size()) != static_cast<ssize_t>(head.size())) {
    end.failure = file + ": " + std::strerror(errno);
    if (log >= 0) close(log);
    return end;
  }
  const Clock::time_point start = Clock::now();
  const pid_t pid = fork();
  if (pid == 0) become(line, log, unset);
  if (pid < 0) {
    end.failure = std::string("fork: ") + std::strerror(errno);
  } else {
    setpgid(pid, pid);  // the child does it too: whoever comes first
    follow(pid, seconds, end);
  }
  end.seconds = since(start);
  fsync(log);
  close(log);
  return end;
}

Interruptible::Interruptible() {
  signalled = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { signalled = 1; };
  for (size_t i = 0; i < std::size(kSignals); i++) sigaction(kSignals[i], &action, &before[i]);
}

Interruptible::~Interruptible() {
  for (size_t i = 0; i < std::size(kSignals); i++) sigaction(kSignals[i], &before[i], nullptr);
}

bool Interruptible::interrupted() { return signalled != 0; }

}  // namespace polyrail::sweep
