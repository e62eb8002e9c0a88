// SPDX-License-Identifier: Apache-2.0
#include "cli/csv/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace polyrail {
namespace {

Status failed(const std::string& path, const char* what) {
  return Status::error(path + ": " + what + ": " + strerrordesc_np(errno));
}

bool writeAll(int fd, const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) return false;
    done += n > 0 ? static_cast<size_t>(n) : 0;
  }
  return true;
}

// What is no file of its own (a device, a pipe) cannot be replaced by one.
bool isSpecial(const std::string& path) {
  struct stat st;
  return stat(path.c_str(), &st) == 0 && !S_ISREG(st.st_mode);
}

}  // namespace

Status writeOutput(const std::string& path, const std::string& text) {
  if (path.empty()) return writeAll(STDOUT_FILENO, text) ? Status() : failed("standard output", "cannot write");
  const bool direct = isSpecial(path);
  const std::string beside = direct ? path : path + ".new";
  const int fd = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return failed(beside, "cannot write");
  const bool written = writeAll(fd, text);
  Status status = written ? Status() : failed(beside, "cannot write");
  if (close(fd) != 0 && status.ok()) status = failed(beside, "cannot write");
  if (status.ok() && !direct && rename(beside.c_str(), path.c_str()) != 0) status = failed(path, "cannot write");
  if (!status.ok() && !direct) unlink(beside.c_str());
  return status;
}

}  // namespace polyrail
