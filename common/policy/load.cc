// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/policy/policy_file.h"

namespace polyrail {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// Not strerror: it shares a buffer and speaks the process' language.
Status systemError(const std::string& path, const char* what, int error) {
  const char* text = strerrordesc_np(error);
  return Status::error(path + ": " + what + ": " + (text ? text : "unknown error"));
}

Status tooLarge(const std::string& path, uint64_t bytes) {
  return Status::error(path + ": is " + std::to_string(bytes) + " bytes or more; the limit is " +
                       std::to_string(kMaxPolicyBytes));
}

Status checkKind(const std::string& path, int fd) {
  struct stat st;
  if (fstat(fd, &st) != 0) return systemError(path, "cannot look at it", errno);
  if (S_ISDIR(st.st_mode)) return Status::error(path + ": is a directory, not a file");
  if (!S_ISREG(st.st_mode)) return Status::error(path + ": is not a regular file");
  if (st.st_size > static_cast<off_t>(kMaxPolicyBytes)) return tooLarge(path, static_cast<uint64_t>(st.st_size));
  return {};
}

// One pass, so that the digest and the policy come from the same bytes whatever happens to the file meanwhile.
Result<std::string> readAll(const std::string& path, int fd) {
  std::string bytes;
  for (;;) {
    constexpr size_t kStep = 64 << 10;
    const size_t have = bytes.size();
    bytes.resize(have + kStep);
    const ssize_t got = read(fd, bytes.data() + have, kStep);
    bytes.resize(have + (got > 0 ? static_cast<size_t>(got) : 0));
    if (got == 0) return bytes;
    if (got < 0 && errno != EINTR) return systemError(path, "cannot read it", errno);
    if (bytes.size() > kMaxPolicyBytes) return tooLarge(path, bytes.size());
  }
}

}  // namespace

Result<std::string> readPolicyFile(const std::string& path) {
  // Without O_NONBLOCK, open would wait for a FIFO's writer.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) return systemError(path, "cannot open it", errno);
  if (Status bad = checkKind(path, file.get()); !bad.ok()) return bad;
  Result<std::string> bytes = readAll(path, file.get());
  if (bytes.ok() && bytes.value().empty()) return Status::error(path + ": is empty");
  return bytes;
}

Result<LoadedPolicy> loadPolicyFile(const std::string& path) {
  try {
    Result<std::string> bytes = readPolicyFile(path);
    if (!bytes.ok()) return bytes.status();
    Result<Policy> policy = parsePolicy(bytes.value(), path);
    if (!policy.ok()) return policy.status();
    return LoadedPolicy{path, policyDigest(bytes.value()), std::move(policy).value()};
  } catch (const std::bad_alloc&) {
    return Status::error("a policy file: not enough memory to read it");
  }
}

}  // namespace polyrail
