// SPDX-License-Identifier: Apache-2.0
// Which function of the plugin each thread is in, so that a hang can be named from outside. The board lies in memory
// that a parent shares with the children it forks; without one, notes go nowhere. Thread-safe and process-safe.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <string>

namespace polyrail::contract {

class CallBoard {
 public:
  // Names of functions entered longer ago than `age` and not left, each once; "" when there is none. The names are
  // literals of this program, so any process forked from it may ask.
  std::string stuck(std::chrono::milliseconds age) const;
  // Takes notes of this process and its children from now on.
  void install();

 private:
  friend class InCall;
  struct Place {
    std::atomic<const char*> function = nullptr;
    std::atomic<int64_t> since = 0;  // steady clock, milliseconds
  };
  std::array<Place, 256> places_;
  std::atomic<uint32_t> taken_ = 0;
};

// A call, for as long as the object lives. `function` is a literal.
class InCall {
 public:
  explicit InCall(const char* function);
  ~InCall();
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;

 private:
  CallBoard::Place* place_;
};

}  // namespace polyrail::contract
