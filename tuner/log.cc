// SPDX-License-Identifier: Apache-2.0
#include "tuner/log.h"

#include <cstdarg>

namespace polyrail {
namespace {

void say(nccl::LogFunction logger, nccl::LogLevel level, unsigned long subsystems, const char* format, va_list args) {
  char line[Log::kMaxLine];
  std::vsnprintf(line, sizeof line, format, args);
  logger(level, subsystems, "polyrail", 0, "TUNER/polyrail: %s", line);
}

}  // namespace

void Log::warn(const char* format, ...) const {
  if (!logger_) return;
  va_list args;
  va_start(args, format);
  say(logger_, nccl::LogLevel::kWarn, nccl::kLogAll, format, args);
  va_end(args);
}

void Log::info(const char* format, ...) const {
  if (!logger_) return;
  va_list args;
  va_start(args, format);
  say(logger_, nccl::LogLevel::kInfo, nccl::kLogInit | nccl::kLogTuning, format, args);
  va_end(args);
}

}  // namespace polyrail
