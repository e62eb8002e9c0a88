// SPDX-License-Identifier: Apache-2.0
// Runs independent work on all processors.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace polyrail::cli {

// Calls work(0) to work(count - 1), each once, from several threads, the caller's among them; returns when all are
// done. `work` must not throw and must only write what belongs to its index.
template <typename Work>
void forEachIndex(size_t count, const Work& work) {
  std::atomic<size_t> next{0};
  const auto serve = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  const size_t helpers = std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), count);
  std::vector<std::thread> threads;
  for (size_t i = 1; i < helpers; i++) threads.emplace_back(serve);
  serve();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace polyrail::cli
