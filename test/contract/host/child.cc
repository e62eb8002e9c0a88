// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace polyrail::contract {
namespace {

using Clock = std::chrono::steady_clock;

int millisecondsUntil(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return left < 0 ? 0 : static_cast<int>(left);
}

// False when the deadline passed first.
bool readAll(int fd, Clock::time_point deadline, std::string& text) {
  std::array<char, 65536> buffer;
  for (;;) {
    pollfd ready{fd, POLLIN, 0};
    if (poll(&ready, 1, millisecondsUntil(deadline)) == 0) return false;
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n <= 0) return true;
    text.append(buffer.data(), static_cast<size_t>(n));
  }
}

void writeAll(const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (n <= 0) return;
    done += static_cast<size_t>(n);
  }
}

[[noreturn]] void become(const Program& program) {
  std::vector<char*> arguments, environment;
  for (const std::string& a : program.arguments) arguments.push_back(const_cast<char*>(a.c_str()));
  for (const std::string& e : program.environment) environment.push_back(const_cast<char*>(e.c_str()));
  arguments.push_back(nullptr);
  environment.push_back(nullptr);
  if (program.directory.empty() || chdir(program.directory.c_str()) == 0)
    execve(arguments[0], arguments.data(), environment.data());
  _exit(127);
}

// Reaps the child; false when it still runs at the deadline.
bool awaitExit(pid_t child, Clock::time_point deadline, int& status) {
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() > deadline) return false;
    poll(nullptr, 0, 1);
  }
  return true;
}

ChildResult runForked(const std::function<void()>& body, std::chrono::seconds limit) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    body();
    _exit(0);
  }
  close(ends[1]);
  ChildResult result;
  const Clock::time_point deadline = Clock::now() + limit;
  int status = 0;
  result.timedOut = !readAll(ends[0], deadline, result.output) || !awaitExit(child, deadline, status);
  close(ends[0]);
  if (result.timedOut) {
    if (kill(-child, SIGKILL) != 0) kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace

ChildResult runInFork(const std::function<std::string()>& body, std::chrono::seconds limit) {
  return runForked([&] { writeAll(body()); }, limit);
}

ChildResult runProgram(const Program& program, std::chrono::seconds limit) {
  return runForked([&] { become(program); }, limit);
}

}  // namespace polyrail::contract
