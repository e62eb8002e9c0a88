// SPDX-License-Identifier: Apache-2.0
#include "common/log.h"

#include <cstdarg>

namespace polyrail {

void Log::warn(const char* format, ...) const {
  if (!logger_) return;
  char line[kMaxLine];
  va_list args;
  va_start(args, format);
  std::vsnprintf(line, sizeof line, format, args);
  va_end(args);
  logger_(nccl::LogLevel::kWarn, nccl::kLogAll, "polyrail", 0, "%s: %s", who_, line);
}

void Log::info(const char* format, ...) const {
  if (!logger_) return;
  char line[kMaxLine];
  va_list args;
  va_start(args, format);
  std::vsnprintf(line, sizeof line, format, args);
  va_end(args);
  logger_(nccl::LogLevel::kInfo, subsystems_, "polyrail", 0, "%s: %s", who_, line);
}

}  // namespace polyrail
