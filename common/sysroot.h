// SPDX-License-Identifier: Apache-2.0
// /sys and /proc of this machine, or of a recorded one under a folder: every reader of machine state goes through a
// SysRoot, so that a tree collected on a cluster becomes a test. Paths are absolute ("/sys/class/infiniband") and
// meant inside the root. Owns one directory descriptor; movable; const calls are safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/status.h"

namespace polyrail {

class SysRoot {
 public:
  // The machine itself.
  static SysRoot live();
  // A recorded tree; an error when the folder cannot be opened.
  static Result<SysRoot> at(const std::string& folder);

  SysRoot(SysRoot&& other) noexcept;
  SysRoot& operator=(SysRoot&& other) noexcept;
  SysRoot(const SysRoot&) = delete;
  SysRoot& operator=(const SysRoot&) = delete;
  ~SysRoot();

  // False for a recorded tree: checks that only make sense on the machine itself are then skipped.
  bool isLive() const { return folder_.empty(); }

  // The file's content without its trailing newline. Nothing when it is absent, unreadable or over 64 KiB: a value
  // that is cut short would be a wrong value.
  std::optional<std::string> read(const std::string& path) const;
  // The same as a whole number; decimal, or hex after 0x. Nothing when it is not one.
  std::optional<uint64_t> readNumber(const std::string& path) const;
  // Names in a folder, sorted, without . and ..; empty when there is no such folder.
  std::vector<std::string> list(const std::string& path) const;
  bool exists(const std::string& path) const;
  // The path with every symbolic link followed, again as seen inside the root. Nothing when it leads nowhere.
  std::optional<std::string> realPath(const std::string& path) const;

 private:
  SysRoot(int fd, std::string folder) : fd_(fd), folder_(std::move(folder)) {}
  int fd_ = -1;
  std::string folder_;  // canonical, without a trailing slash; empty: live
};

}  // namespace polyrail
