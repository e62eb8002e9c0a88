// SPDX-License-Identifier: Apache-2.0
// Reading "files" of /sys, as programs do through the library.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "test/emu/verbs/face.h"
#include "test/emu/verbs/sysfs.h"

using namespace polyrail::emu;

namespace {

// The text without its newline, terminated; -1 when it does not fit.
int answer(const std::string& text, char* buffer, size_t size) {
  const size_t length = text.size() - (text.ends_with('\n') ? 1 : 0);
  if (length >= size) return -1;
  std::memcpy(buffer, text.data(), length);
  buffer[length] = '\0';
  return static_cast<int>(length);
}

int readRealFile(const std::string& path, char* buffer, size_t size) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const ssize_t got = read(fd, buffer, size);
  close(fd);
  return got < 0 ? -1 : answer(std::string(buffer, static_cast<size_t>(got)), buffer, size);
}

}  // namespace

EMU_EXPORT int ibv_read_sysfs_file(const char* folder, const char* file, char* buffer, size_t size) {
  const std::string path = std::string(folder) + "/" + file;
  Session* session = currentSession();
  if (!session) return -1;
  session->lock();
  const std::optional<std::string> text = readSysfs(session->world(), session->host(), path);
  session->unlock();
  return text ? answer(*text, buffer, size) : readRealFile(path, buffer, size);
}

EMU_EXPORT const char* ibv_get_sysfs_path() { return "/sys"; }
