// SPDX-License-Identifier: Apache-2.0
// A mutex for plugins. Not std::mutex: its error path brings libstdc++'s error categories and with them a static
// constructor, which a plugin must not have. Works with std::lock_guard and std::unique_lock; constant-initialised.
#pragma once

#include <pthread.h>

namespace polyrail {

class Mutex {
 public:
  constexpr Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

}  // namespace polyrail
