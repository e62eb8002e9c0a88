// SPDX-License-Identifier: Apache-2.0
// What happened, as one number and, if asked for, as lines of text: two runs of one scenario and seed must agree in
// every record. Records hold times, object numbers and sizes, never addresses, which differ from run to run.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "test/emu/core/event_queue.h"

namespace polyrail::emu {

class Trace {
 public:
  void keepText(bool keep) { keep_ = keep; }
  void add(Time at, const char* what, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0) {
    for (const char* p = what; *p; p++) mix(static_cast<unsigned char>(*p));
    for (uint64_t v : {static_cast<uint64_t>(at), a, b, c}) mix(v);
    count_++;
    if (keep_) write(at, what, a, b, c);
  }
  uint64_t hash() const { return hash_; }
  uint64_t count() const { return count_; }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  // FNV-1a's step on whole words, with a shift so that high bits reach low ones.
  void mix(uint64_t v) {
    hash_ = (hash_ ^ v) * 0x100000001b3u;
    hash_ ^= hash_ >> 29;
  }
  void write(Time at, const char* what, uint64_t a, uint64_t b, uint64_t c) {
    char line[128];
    std::snprintf(line, sizeof line, "%lld %s %llu %llu %llu", static_cast<long long>(at), what,
                  static_cast<unsigned long long>(a), static_cast<unsigned long long>(b),
                  static_cast<unsigned long long>(c));
    lines_.emplace_back(line);
  }
  uint64_t hash_ = 0xcbf29ce484222325u;
  uint64_t count_ = 0;
  bool keep_ = false;
  std::vector<std::string> lines_;
};

}  // namespace polyrail::emu
