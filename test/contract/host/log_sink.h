// SPDX-License-Identifier: Apache-2.0
// Collects what a plugin says through NCCL's log callback. The callback carries no context, so each sink takes one of
// a few fixed functions: two NCCLs in one process have two different functions, and a plugin that mixes them up is
// seen. Lines arrive from any thread. A call to a function whose sink is gone is counted by strayLogCalls().
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "common/nccl/result.h"

namespace polyrail::contract {

struct LogLine {
  nccl::LogLevel level;
  unsigned long subsystems;
  std::string file;
  int line;
  std::string text;
};

class LogSink {
 public:
  static constexpr int kMost = 8;  // sinks alive at once

  LogSink();  // REQUIRES: fewer than kMost others alive
  ~LogSink();
  LogSink(const LogSink&) = delete;
  LogSink& operator=(const LogSink&) = delete;

  nccl::LogFunction function() const;
  std::vector<LogLine> lines() const;
  size_t count(nccl::LogLevel level) const;
  // All lines in one text, for a failure message.
  std::string text() const;
  void clear();
  void add(LogLine line);

 private:
  int slot_;
  mutable std::mutex mutex_;
  std::vector<LogLine> lines_;
};

size_t strayLogCalls();

// From now on warnings, or all lines, also go to this process's standard error.
enum class Echo { kWarnings, kAll };
void echoLog(Echo which);

}  // namespace polyrail::contract
