// SPDX-License-Identifier: Apache-2.0
// How far long work is: a line on standard error that replaces itself, on a terminal only. One thread.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <functional>

namespace polyrail::cli {

// "reading file 3/40"; gone when all are done. Empty when standard error is no terminal. `what` must outlive it.
inline std::function<void(size_t done, size_t all)> progressLine(const char* what) {
  if (isatty(STDERR_FILENO) != 1) return {};
  return [what](size_t done, size_t all) {
    fmt::print(stderr, "\r{} {}/{}{}", what, done, all, done == all ? "\r\x1b[K" : "");
  };
}

}  // namespace polyrail::cli
