// SPDX-License-Identifier: Apache-2.0
#include "common/sysroot.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace polyrail {
namespace {

constexpr size_t kMaxFile = 64 << 10;

// openat() takes an absolute path from the real root, so the leading slash must go.
const char* inside(const std::string& path) {
  const size_t start = path.find_first_not_of('/');
  return start == std::string::npos ? "." : path.c_str() + start;
}

std::optional<std::string> readAll(int fd) {
  std::string text(kMaxFile + 1, '\0');
  size_t have = 0;
  for (;;) {
    const ssize_t n = ::read(fd, text.data() + have, text.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) break;
    have += static_cast<size_t>(n);
    if (have > kMaxFile) return std::nullopt;
  }
  text.resize(have);
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

struct FreeDeleter {
  void operator()(char* p) const { std::free(p); }
};

}  // namespace

SysRoot SysRoot::live() { return SysRoot(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), ""); }

Result<SysRoot> SysRoot::at(const std::string& folder) {
  const std::unique_ptr<char, FreeDeleter> real(::realpath(folder.c_str(), nullptr));
  const int fd = real ? ::open(real.get(), O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd < 0) return Status::error(folder + ": cannot be opened as a folder: " + std::strerror(errno));
  return SysRoot(fd, std::strcmp(real.get(), "/") == 0 ? "" : real.get());
}

SysRoot::SysRoot(SysRoot&& other) noexcept : fd_(std::exchange(other.fd_, -1)), folder_(std::move(other.folder_)) {}

SysRoot& SysRoot::operator=(SysRoot&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(folder_, other.folder_);
  return *this;
}

SysRoot::~SysRoot() {
  if (fd_ >= 0) ::close(fd_);
}

std::optional<std::string> SysRoot::read(const std::string& path) const {
  // O_NONBLOCK: a FIFO in a recorded tree must not hang the reader.
  const int fd = ::openat(fd_, inside(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  std::optional<std::string> text = readAll(fd);
  ::close(fd);
  return text;
}

std::optional<uint64_t> SysRoot::readNumber(const std::string& path) const {
  const std::optional<std::string> text = read(path);
  if (!text) return std::nullopt;
  const bool hex = text->rfind("0x", 0) == 0;
  const char* begin = text->data() + (hex ? 2 : 0);
  const char* end = text->data() + text->size();
  uint64_t value = 0;
  const auto [rest, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

std::vector<std::string> SysRoot::list(const std::string& path) const {
  std::vector<std::string> names;
  const int fd = ::openat(fd_, inside(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return names;
  DIR* dir = ::fdopendir(fd);
  if (!dir) {
    ::close(fd);
    return names;
  }
  while (const dirent* entry = ::readdir(dir)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  ::closedir(dir);
  std::sort(names.begin(), names.end());
  return names;
}

bool SysRoot::exists(const std::string& path) const {
  struct stat info;
  return ::fstatat(fd_, inside(path), &info, 0) == 0;
}

std::optional<std::string> SysRoot::realPath(const std::string& path) const {
  const std::string whole = folder_ + (path.empty() || path[0] != '/' ? "/" : "") + path;
  const std::unique_ptr<char, FreeDeleter> real(::realpath(whole.c_str(), nullptr));
  if (!real) return std::nullopt;
  std::string found = real.get();
  if (folder_.empty()) return found;
  // A recorded tree keeps its links relative; one that leads out of it leads nowhere.
  if (found.compare(0, folder_.size(), folder_) != 0 ||
      (found.size() > folder_.size() && found[folder_.size()] != '/'))
    return std::nullopt;
  found.erase(0, folder_.size());
  return found.empty() ? "/" : found;
}

}  // namespace polyrail
