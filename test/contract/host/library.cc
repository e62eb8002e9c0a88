// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/library.h"

#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <utility>

namespace polyrail::contract {

Result<Library> Library::open(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Status::error(dlerror());
  return Library(handle, path);
}

Library::Library(Library&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), path_(std::move(other.path_)) {}

Library& Library::operator=(Library&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  return *this;
}

void* Library::address(const char* symbol) const { return handle_ ? dlsym(handle_, symbol) : nullptr; }

void Library::close() {
  if (void* handle = std::exchange(handle_, nullptr)) dlclose(handle);
}

bool isMapped(const std::string& path) {
  const std::string real = std::filesystem::canonical(path).string();
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.ends_with(real)) return true;
  return false;
}

}  // namespace polyrail::contract
