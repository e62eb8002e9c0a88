// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/log_sink.h"

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace polyrail::contract {
namespace {

std::mutex slotsMutex;
std::array<LogSink*, LogSink::kMost> slots;
std::atomic<size_t> strays;
std::atomic<int> echoed = static_cast<int>(nccl::LogLevel::kNone);  // the most talkative level

std::string format(const char* pattern, va_list arguments) {
  std::array<char, 4096> text;
  vsnprintf(text.data(), text.size(), pattern, arguments);
  return text.data();
}

template <int slot>
void receive(nccl::LogLevel level, unsigned long flags, const char* file, int line, const char* pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  LogLine entry{level, flags, file ? file : "", line, format(pattern, arguments)};
  va_end(arguments);
  if (static_cast<int>(level) <= echoed) fprintf(stderr, "%s\n", entry.text.c_str());
  std::lock_guard lock(slotsMutex);
  if (slots[slot])
    slots[slot]->add(std::move(entry));
  else
    strays++;
}

template <int... slot>
constexpr std::array<nccl::LogFunction, sizeof...(slot)> receivers(std::integer_sequence<int, slot...>) {
  return {receive<slot>...};
}
constexpr auto kReceivers = receivers(std::make_integer_sequence<int, LogSink::kMost>());

}  // namespace

LogSink::LogSink() {
  std::lock_guard lock(slotsMutex);
  slot_ = 0;
  while (slot_ < kMost && slots[slot_] != nullptr) slot_++;
  if (slot_ == kMost) abort();
  slots[slot_] = this;
}

LogSink::~LogSink() {
  std::lock_guard lock(slotsMutex);
  slots[slot_] = nullptr;
}

nccl::LogFunction LogSink::function() const { return kReceivers[slot_]; }

void LogSink::add(LogLine line) {
  std::lock_guard lock(mutex_);
  lines_.push_back(std::move(line));
}

std::vector<LogLine> LogSink::lines() const {
  std::lock_guard lock(mutex_);
  return lines_;
}

size_t LogSink::count(nccl::LogLevel level) const {
  size_t n = 0;
  for (const LogLine& line : lines()) n += line.level == level;
  return n;
}

std::string LogSink::text() const {
  std::string all;
  for (const LogLine& line : lines()) all += std::to_string(static_cast<int>(line.level)) + ": " + line.text + "\n";
  return all;
}

void LogSink::clear() {
  std::lock_guard lock(mutex_);
  lines_.clear();
}

size_t strayLogCalls() { return strays; }
void echoLog(Echo which) {
  echoed = static_cast<int>(which == Echo::kAll ? nccl::LogLevel::kTrace : nccl::LogLevel::kWarn);
}

}  // namespace polyrail::contract
