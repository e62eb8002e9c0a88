// SPDX-License-Identifier: Apache-2.0
// The connection over which two ends of `polyrail perf` agree and exchange NCCL's handles: one JSON value a line,
// over TCP or a pair of sockets. What the other end says is bounded in length and time; an "error" in it becomes an
// error here. One owner, one thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "common/status.h"

namespace polyrail::cli {

class Control {
 public:
  explicit Control(int socket) : socket_(socket) {}
  Control(Control&& other) noexcept : socket_(std::exchange(other.socket_, -1)), read_(std::move(other.read_)) {}
  Control& operator=(Control&&) = delete;
  ~Control();

  // Tries again for some seconds while nobody listens there.
  static Result<Control> dial(const std::string& host, int port);

  Status send(const nlohmann::ordered_json& value);
  // Tells the other end why this one gives up; returns `why`.
  Status giveUp(Status why);
  Result<nlohmann::ordered_json> receive(double seconds);
  // An error when the other end has gone or given up; never blocks.
  Status check();

 private:
  Status more(int milliseconds);
  Status lineIsShort() const;
  Status lastWords(Status otherwise);
  Status complaint() const;
  int socket_;
  std::string read_;  // what came and is no whole line yet
};

// Where a client is waited for. Closed with the object.
class ControlDoor {
 public:
  // IPv6 and IPv4; port 0 takes a free one.
  static Result<ControlDoor> open(int port);
  ControlDoor(ControlDoor&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  ControlDoor& operator=(ControlDoor&&) = delete;
  ~ControlDoor();

  int port() const;
  Result<Control> admit();  // waits without limit

 private:
  explicit ControlDoor(int socket) : socket_(socket) {}
  int socket_;
};

}  // namespace polyrail::cli
