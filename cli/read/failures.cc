// SPDX-License-Identifier: Apache-2.0
#include "cli/read/failures.h"

#include "cli/read/secrets.h"
#include "cli/read/words.h"

namespace polyrail::read {
namespace {

constexpr size_t kLongest = 160;

// nccl-tests' own (src/common.h), then those of launchers, loaders, shells, schedulers and CUDA. Of five bytes at
// least (line_marks.cc).
constexpr std::string_view kSigns[] = {"Test NCCL failure",
                                       "Test CUDA failure",
                                       "Test failure",
                                       "Test timeout",
                                       "Invalid number of GPUs",
                                       "Incompatible NCCL versions",
                                       "not supported by this test",
                                       "error while loading shared libraries",
                                       "command not found",
                                       "No such file or directory",
                                       "Permission denied",
                                       "Connection refused",
                                       "Host key verification failed",
                                       "Could not resolve hostname",
                                       "not enough slots",
                                       "was unable to",
                                       "error: ",
                                       "ERROR",
                                       "CUDA error",
                                       "CUDA driver version is insufficient",
                                       "no CUDA-capable device",
                                       "ut of memory",
                                       "Segmentation fault",
                                       "exited on signal",
                                       "exit code",
                                       "exit status",
                                       "Killed",
                                       "Aborted",
                                       "Bus error",
                                       " DUE TO ",
                                       "CANCELLED",
                                       "ImagePullBackOff",
                                       "CrashLoopBackOff",
                                       "Traceback (most recent call last)"};

}  // namespace

std::string shortened(std::string_view text) {
  std::string out = withoutSecrets(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  if (out.size() > kLongest) out = out.substr(0, kLongest - 3) + "...";
  return out;
}

std::span<const std::string_view> failureSigns() { return kSigns; }

std::string failureIn(std::string_view line) {
  if (contains(line, "NCCL WARN")) return shortened(line);
  for (std::string_view sign : kSigns)
    if (contains(line, sign)) return shortened(line);
  return {};
}

}  // namespace polyrail::read
