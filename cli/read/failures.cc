// SPDX-License-Identifier: Apache-2.0
#include "cli/read/failures.h"

#include "cli/read/number.h"
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

bool isVariableName(std::string_view name) {
  if (name.empty() || isDigit(name[0])) return false;
  for (char c : name)
    if (!((c | 0x20) >= 'a' && (c | 0x20) <= 'z') && !isDigit(c) && c != '_' && c != '-') return false;
  return true;
}

// "TOKEN=abc" becomes "TOKEN=...".
std::string withoutValue(std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos || startsWith(word, "NCCL_")) return std::string(word);
  size_t name = equals;
  while (name > 0 && isVariableName(word.substr(name - 1, equals - name + 1))) name--;
  return name == equals ? std::string(word) : std::string(word.substr(0, equals)) + "=...";
}

}  // namespace

std::string shortened(std::string_view text) {
  std::string out;
  for (std::string_view word = nextWord(text); !word.empty() && out.size() < kLongest; word = nextWord(text)) {
    if (!out.empty()) out += ' ';
    for (char c : withoutValue(word)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
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
