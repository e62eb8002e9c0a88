// SPDX-License-Identifier: Apache-2.0
#include "cli/deploy/run_commands.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

extern char** environ;

namespace polyrail::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kTickMs = 20;

struct Child {
  pid_t pid = -1;
  int pipes[2] = {-1, -1};  // its output and its errors
  bool exited = false;
  Clock::time_point deadline;
  Outcome* outcome = nullptr;
};

int spawn(const std::string& line, int output, int errors, pid_t* pid) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, 1);
  posix_spawn_file_actions_adddup2(&files, errors, 2);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
  char shell[] = "sh", flag[] = "-c";
  std::string text = line;
  char* words[] = {shell, flag, text.data(), nullptr};
  const int error = posix_spawn(pid, "/bin/sh", &files, &how, words, environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

void closeBoth(const int (&ends)[2]) {
  for (int end : ends)
    if (end >= 0) ::close(end);
}

// A child whose pid is -1 did not start; its outcome says why.
Child start(const std::string& line, double seconds, Outcome& outcome) {
  Child child;
  child.outcome = &outcome;
  child.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  int output[2] = {-1, -1}, errors[2] = {-1, -1};
  int error = ::pipe2(output, O_CLOEXEC) || ::pipe2(errors, O_CLOEXEC) ? errno : 0;
  if (error == 0) error = spawn(line, output[1], errors[1], &child.pid);
  if (error != 0) {
    closeBoth(output), closeBoth(errors);
    outcome.failure = std::strerror(error);
    child.pid = -1;
    return child;
  }
  ::close(output[1]), ::close(errors[1]);
  child.pipes[0] = output[0], child.pipes[1] = errors[0];
  return child;
}

// Reads what is there; false at the end.
bool drain(int fd, std::string& into) {
  char buffer[65536];
  const ssize_t n = ::read(fd, buffer, sizeof buffer);
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  into.append(buffer, std::min(static_cast<size_t>(n), kMaxOutput - std::min(kMaxOutput, into.size())));
  return n > 0;
}

void readAll(std::vector<Child>& children) {
  std::vector<pollfd> polled;
  std::vector<std::pair<int*, std::string*>> behind;
  for (Child& c : children)
    for (int i = 0; i < 2; i++)
      if (c.pipes[i] >= 0) {
        polled.push_back({c.pipes[i], POLLIN, 0});
        behind.push_back({&c.pipes[i], i == 0 ? &c.outcome->output : &c.outcome->errors});
      }
  if (::poll(polled.data(), polled.size(), kTickMs) <= 0) return;
  for (size_t i = 0; i < polled.size(); i++)
    if (polled[i].revents && !drain(polled[i].fd, *behind[i].second)) {
      ::close(polled[i].fd);
      *behind[i].first = -1;
    }
}

int statusOf(int wait) { return WIFEXITED(wait) ? WEXITSTATUS(wait) : 128 + WTERMSIG(wait); }

void reap(Child& c, int flags) {
  int status = 0;
  if (c.exited || ::waitpid(c.pid, &status, flags) != c.pid) return;
  c.exited = true;
  c.outcome->exitStatus = statusOf(status);
}

// True when nothing more can come. What outlives the shell and holds the pipe is ended at the deadline too.
bool finished(Child& c) {
  reap(c, WNOHANG);
  if (c.exited && c.pipes[0] < 0 && c.pipes[1] < 0) return true;
  if (Clock::now() < c.deadline) return false;
  c.outcome->timedOut = true;
  ::kill(-c.pid, SIGKILL);
  reap(c, 0);
  closeBoth(c.pipes);
  return true;
}

}  // namespace

std::vector<Outcome> runCommands(const std::vector<std::string>& lines, const RunLimits& limits) {
  std::vector<Outcome> outcomes(lines.size());
  std::vector<Child> running;
  size_t next = 0;
  while (next < lines.size() || !running.empty()) {
    while (next < lines.size() && running.size() < std::max<size_t>(limits.atOnce, 1)) {
      Child child = start(lines[next], limits.seconds, outcomes[next]);
      next++;
      if (child.pid >= 0) running.push_back(child);
    }
    readAll(running);
    std::erase_if(running, finished);
  }
  return outcomes;
}

}  // namespace polyrail::cli
