// SPDX-License-Identifier: Apache-2.0
#include "cli/deploy/install.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/output/write_file.h"
#include "common/policy/policy_file.h"

namespace polyrail::cli {
namespace {

constexpr mode_t kForEveryUser = 0644;

std::string folderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

Status refuseLink(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path target = std::filesystem::read_symlink(path, ignored);
  if (target.empty()) return {};
  return Status::error(fmt::format("{} is a symbolic link to {}; name that file with --to, or remove the link", path,
                                   target.string()));
}

Status makeFolder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST) return {};
  return Status::error(fmt::format("cannot make the folder {}: {}", folder, std::strerror(errno)));
}

// The rename itself must survive a power cut, not only the bytes.
void syncFolder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  (void)::fsync(fd);
  ::close(fd);
}

// Root's umask may hide the file from the users whose jobs read it.
Status writeForEveryUser(const std::string& path, const std::string& bytes) {
  const mode_t before = ::umask(0022);
  Status status = writeFile(path, bytes);
  ::umask(before);
  if (status.ok() && ::chmod(path.c_str(), kForEveryUser) != 0)
    status = Status::error(fmt::format("cannot make {} readable for every user: {}", path, std::strerror(errno)));
  return status;
}

// The bytes of the policy there now; empty when there is none.
Result<std::string> presentBytes(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) return std::string();
  return readPolicyFile(path);
}

// The order matters: whatever fails, the policy that was there is still there.
Status replace(const std::string& path, const std::string& present, const std::string& bytes) {
  if (!present.empty())
    if (Status kept = writeForEveryUser(previousPolicyPath(path), present); !kept.ok()) return kept;
  Status status = writeForEveryUser(path, bytes);
  if (status.ok()) syncFolder(folderOf(path));
  return status;
}

Installed described(const std::string& path, const std::string& bytes, const std::string& present) {
  Installed done;
  done.path = path;
  done.digest = policyDigest(bytes);
  if (present.empty()) return done;
  done.previousPath = previousPolicyPath(path);
  done.previousDigest = policyDigest(present);
  return done;
}

}  // namespace

std::string previousPolicyPath(const std::string& path) { return path + ".previous"; }

Result<Installed> installPolicy(const std::string& path, const std::string& bytes) {
  for (const Status& s : {refuseLink(path), makeFolder(folderOf(path))})
    if (!s.ok()) return s;
  const Result<std::string> present = presentBytes(path);
  if (!present.ok()) return present.status();
  if (present.value() == bytes) {
    Installed same = described(path, bytes, "");
    same.changed = false;
    return same;
  }
  if (Status status = replace(path, present.value(), bytes); !status.ok()) return status;
  return described(path, bytes, present.value());
}

Result<Installed> restorePolicy(const std::string& path) {
  if (Status link = refuseLink(path); !link.ok()) return link;
  const std::string previous = previousPolicyPath(path);
  if (::access(previous.c_str(), F_OK) != 0)
    return Status::error(fmt::format("{} is not there: nothing was replaced by `polyrail policy install`", previous));
  const Result<std::string> bytes = readPolicyFile(previous);
  if (!bytes.ok()) return bytes.status();
  if (Result<Policy> policy = parsePolicy(bytes.value(), previous); !policy.ok()) return policy.status();
  const Result<std::string> present = presentBytes(path);
  if (!present.ok()) return present.status();
  if (Status status = replace(path, present.value(), bytes.value()); !status.ok()) return status;
  return described(path, bytes.value(), present.value());
}

}  // namespace polyrail::cli
