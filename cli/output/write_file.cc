// SPDX-License-Identifier: Apache-2.0
#include "cli/output/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace polyrail::cli {
namespace {

Status failed(const std::string& path) { return Status::error("cannot write " + path + ": " + std::strerror(errno)); }

bool writeAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

Status writeDirectly(const std::string& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return failed(path);
  const Status status = writeAll(fd, text) ? Status() : failed(path);
  ::close(fd);
  return status;
}

}  // namespace

Status writeFile(const std::string& path, std::string_view text) {
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) return writeDirectly(path, text);
  std::string beside = path + ".XXXXXX";
  const int fd = ::mkostemp(beside.data(), O_CLOEXEC);
  if (fd < 0) return failed(path);
  // mkostemp makes files for their owner alone; policies are for every user of the cluster.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t mode = exists ? info.st_mode & 07777 : 0666 & ~mask;
  Status status = ::fchmod(fd, mode) == 0 && writeAll(fd, text) && ::fsync(fd) == 0 ? Status() : failed(path);
  if (::close(fd) != 0 && status.ok()) status = failed(path);
  if (status.ok() && ::rename(beside.c_str(), path.c_str()) != 0) status = failed(path);
  if (!status.ok()) ::unlink(beside.c_str());
  return status;
}

}  // namespace polyrail::cli
