// SPDX-License-Identifier: Apache-2.0
// How errors travel: by value, never by exception across a module. A Status is either ok or one sentence for a
// person, with the place ("policy.json:12: ...") and the remedy; it is a plain value, safe to copy and to share
// between threads as any const object. Result<T> is a value or such a Status.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace polyrail {

class [[nodiscard]] Status {
 public:
  Status() = default;
  static Status error(std::string message) { return Status(std::move(message)); }

  bool ok() const { return message_.empty(); }
  // Empty exactly when ok().
  const std::string& message() const { return message_; }

 private:
  explicit Status(std::string message) : message_(message.empty() ? "unknown error" : std::move(message)) {}
  std::string message_;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Status error) : state_(std::move(error)) {}  // REQUIRES: !error.ok()

  bool ok() const { return std::holds_alternative<T>(state_); }
  // REQUIRES: ok()
  T& value() & { return *std::get_if<T>(&state_); }
  const T& value() const& { return *std::get_if<T>(&state_); }
  T&& value() && { return std::move(*std::get_if<T>(&state_)); }
  // REQUIRES: !ok()
  const Status& status() const { return *std::get_if<Status>(&state_); }
  const std::string& message() const { return status().message(); }

 private:
  std::variant<T, Status> state_;
};

}  // namespace polyrail
