// SPDX-License-Identifier: Apache-2.0
#include "cli/deploy/find_library.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "common/nccl/version.h"

namespace polyrail::cli {
namespace {

#if defined(__aarch64__)
constexpr char kDebianFolder[] = "/usr/lib/aarch64-linux-gnu";
#else
constexpr char kDebianFolder[] = "/usr/lib/x86_64-linux-gnu";
#endif

// In the binary since NCCL 2.0; its own banner prints it (NCCL 2.30 init.cc, VERSION_STRING).
constexpr std::string_view kBanner = "NCCL version ";

std::string versionIn(std::string_view bytes) {
  for (size_t at = bytes.find(kBanner); at != bytes.npos; at = bytes.find(kBanner, at + 1)) {
    const std::string_view rest = bytes.substr(at + kBanner.size(), 40);
    const std::string text(rest.substr(0, rest.find_first_not_of("0123456789.+abcdefghijklmnopqrstuvwxyz-")));
    if (nccl::parseVersion(text)) return text;
  }
  return "";
}

std::string versionInName(const std::string& library) {
  std::error_code ignored;
  const std::string name = std::filesystem::canonical(library, ignored).filename();
  const size_t at = name.find(".so.");
  return at != name.npos && nccl::parseVersion(name.substr(at + 4)) ? name.substr(at + 4) : "unknown";
}

}  // namespace

std::vector<std::string> libraryFolders() {
  std::vector<std::string> folders;
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) {
    std::istringstream list(path);
    for (std::string folder; std::getline(list, folder, ':');)
      if (!folder.empty()) folders.push_back(folder);
  }
  for (const char* folder : {"/usr/local/nvidia/lib64", "/usr/local/lib", "/usr/local/lib64", kDebianFolder,
                             "/usr/lib64", "/usr/lib", "/usr/local/cuda/lib64"})
    folders.push_back(folder);
  return folders;
}

std::string findLibrary(const std::vector<std::string>& folders, const std::string& fileName) {
  for (const std::string& folder : folders)
    if (std::string path = folder + "/" + fileName; ::access(path.c_str(), F_OK) == 0) return path;
  return "";
}

std::string ncclVersionOf(const std::string& library) {
  const int fd = ::open(library.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info {};
  if (fd < 0 || ::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) {
    if (fd >= 0) ::close(fd);
    return "unreadable";
  }
  const auto size = static_cast<size_t>(info.st_size);
  void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  ::close(fd);
  if (bytes == MAP_FAILED) return "unreadable";
  const std::string text = versionIn({static_cast<const char*>(bytes), size});
  ::munmap(bytes, size);
  return text.empty() ? versionInName(library) : text;
}

}  // namespace polyrail::cli
