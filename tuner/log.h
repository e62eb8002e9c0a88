// SPDX-License-Identifier: Apache-2.0
// The tuner's one way to speak: NCCL's own logger. Copied by value; silent when NCCL gave none; lines are cut at
// kMaxLine. For init and finalize only, from any thread (NCCL's logger locks).
#pragma once

#include <cstdio>

#include "common/nccl/result.h"

namespace polyrail {

class Log {
 public:
  static constexpr size_t kMaxLine = 1024;

  explicit Log(nccl::LogFunction logger = nullptr) : logger_(logger) {}

  [[gnu::format(printf, 2, 3)]] void warn(const char* format, ...) const;
  // Shown with NCCL_DEBUG=INFO, whose default subsystems include INIT.
  [[gnu::format(printf, 2, 3)]] void info(const char* format, ...) const;

 private:
  nccl::LogFunction logger_;
};

}  // namespace polyrail
