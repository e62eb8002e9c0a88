// SPDX-License-Identifier: Apache-2.0
// A plugin's one way to speak: NCCL's own logger, a line beginning with the plugin's name. Copied by value; silent
// when NCCL gave no logger; lines are cut at kMaxLine. For set-up, failures and the end, never on a hot path; from
// any thread (NCCL's logger locks).
#pragma once

#include <cstdio>

#include "common/nccl/result.h"

namespace polyrail {

class Log {
 public:
  static constexpr size_t kMaxLine = 1024;

  // `who` ("TUNER/polyrail") outlives the log; `subsystems` are those that info() belongs to (NCCL_DEBUG_SUBSYS).
  explicit Log(nccl::LogFunction logger = nullptr, const char* who = "polyrail",
               unsigned long subsystems = nccl::kLogInit)
      : logger_(logger), who_(who), subsystems_(subsystems) {}

  [[gnu::format(printf, 2, 3)]] void warn(const char* format, ...) const;
  // Shown with NCCL_DEBUG=INFO, whose default subsystems include INIT.
  [[gnu::format(printf, 2, 3)]] void info(const char* format, ...) const;

 private:
  nccl::LogFunction logger_;
  const char* who_;
  unsigned long subsystems_;
};

}  // namespace polyrail
