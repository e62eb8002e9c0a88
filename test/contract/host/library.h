// SPDX-License-Identifier: Apache-2.0
// A plugin's shared object, opened as NCCL opens it: RTLD_NOW | RTLD_LOCAL, so that an unresolved symbol fails at
// once and nothing leaks into the global scope (src/os/linux.cc, 2.30.7). A value that owns one dlopen reference;
// opening one file twice gives two references to one copy, as with two NCCLs in a process. One thread at a time per
// object.
#pragma once

#include <string>

#include "common/status.h"

namespace polyrail::contract {

class Library {
 public:
  static Result<Library> open(const std::string& path);
  Library(Library&& other) noexcept;
  Library& operator=(Library&& other) noexcept;
  ~Library() { close(); }

  // Null when the library does not export it. The pointer dies with the last close.
  template <typename T>
  T* find(const char* symbol) const {
    return static_cast<T*>(address(symbol));
  }
  const std::string& path() const { return path_; }
  void close();

 private:
  Library(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  void* address(const char* symbol) const;
  void* handle_ = nullptr;
  std::string path_;
};

// True while any part of the file is mapped into this process (/proc/self/maps): the proof that dlclose unloaded it.
bool isMapped(const std::string& path);

}  // namespace polyrail::contract
